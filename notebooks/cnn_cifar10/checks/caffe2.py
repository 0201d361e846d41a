# %% tags=["check"]
# How the referee reaches into caffe2.ipynb: arrays in and out. Caffe2's layout is that of the shared weights.
class check:
    layers = "conv1", "conv2", "conv3", "conv4", "dense1", "dense2"
    blobs = {"{}.{}".format(n, kind): n + end for n in layers for kind, end in (("weight", "_w"), ("bias", "_b"))}

    def tensors(x, y):
        return x, y.astype(np.int32)

    def data():
        return (x_train, y_train), (x_test, y_test)

    def load(weights):
        for name, blob in check.blobs.items():
            workspace.FeedBlob(blob, weights[name])

    def read():
        return {name: workspace.FetchBlob(blob) for name, blob in check.blobs.items()}

    def feed(x, y):
        workspace.FeedBlob("data", x)
        workspace.FeedBlob("label", y)

    def gradients(x, y):  # the training net without the updates, which overwrite the gradients
        net = caffe2_pb2.NetDef()
        net.CopyFrom(train_model.net.Proto())
        kept = [op for op in net.op if op.type != "MomentumSGDUpdate"]
        del net.op[:]
        net.op.extend(kept)
        check.feed(x, y)
        workspace.RunNetOnce(net)
        return {name: workspace.FetchBlob(grads[blob]) for name, blob in check.blobs.items()}

    def train(x, y, order):
        batches = np.split(order, range(BATCH_SIZE, len(order), BATCH_SIZE))
        return train_epoch((x[i], y[i]) for i in batches)

    def loss(x, y):  # the test net ends with the logits
        check.feed(x, y)
        workspace.RunNet(test_model.net)
        workspace.RunOperatorOnce(core.CreateOperator("SoftmaxWithLoss", ["dense2", "label"], ["softmax", "loss"]))
        return workspace.FetchBlob("loss")

    def predict(x):
        return predict(x)

    def evaluate(x, y):
        return evaluate(x, y)
