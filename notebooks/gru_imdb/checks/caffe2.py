# %% tags=["check"]
# How the referee reaches into caffe2.ipynb: arrays in and out. Caffe2's layout is that of the shared weights.
import itertools

from caffe2.proto import caffe2_pb2


class check:
    parts = {  # the blobs that make up each shared tensor
        "embedding": ["embedding_w"],
        "gru.weight_ih": ["gru/i2h_w"],
        "gru.weight_hh": ["gru/reset_gate_t_w", "gru/update_gate_t_w", "gru/output_gate_t_w"],
        "gru.bias_ih": ["gru/i2h_b"],
        "gru.bias_hh": ["gru/reset_gate_t_b", "gru/update_gate_t_b", "gru/output_gate_t_b"],
        "dense.weight": ["dense_w"],
        "dense.bias": ["dense_b"],
    }

    def tensors(x, y):
        return x, y.astype(np.int32)

    def data():
        return (x_train, y_train), (x_test, y_test)

    def load(weights):
        for name, parts in check.parts.items():
            for part, w in zip(parts, np.split(weights[name], len(parts))):
                workspace.FeedBlob(part, w)

    def exact():  # build_adam corrects the first step as the second, and Adam adds epsilon before it corrects the bias
        net, step, steps = caffe2_pb2.NetDef(), train_step, itertools.count(1)
        net.CopyFrom(train_model.net.Proto())
        adams = [op for op in net.op if op.type == "Adam"]
        kept = [op for op in net.op if op.type not in ("Adam", "AtomicIter")]
        del net.op[:]
        net.op.extend(kept)
        workspace.CreateNet(net, True)

        def exact_step(x, y):  # the same operators, in each step with another epsilon
            loss, t = step(x, y), next(steps)
            for op in adams:
                (epsilon,) = [argument for argument in op.arg if argument.name == "epsilon"]
                epsilon.f = 1e-8 * np.sqrt(1 - 0.999**t)
                workspace.FeedBlob(op.input[5], np.array([t - 1], np.int64))  # the operator adds one
                workspace.RunOperatorOnce(op)
            return loss

        globals()["train_step"] = exact_step

    def read():
        return check.stacked(workspace.FetchBlob)

    def stacked(fetch):  # fetch: the array of a blob's name -> {tensor: array}
        return {name: np.concatenate([fetch(part) for part in parts]) for name, parts in check.parts.items()}

    def gradients(x, y):  # see exact: the net does not change the weights
        check.feed(x, y)
        workspace.RunNet(train_model.net)
        return check.stacked(lambda part: workspace.FetchBlob(grads[part]))

    def feed(x, y):
        feed_reviews(x)
        workspace.FeedBlob("label", y)

    def train(x, y, order):
        batches = np.split(order, range(BATCH_SIZE, len(order), BATCH_SIZE))
        return train_epoch((x[i], y[i]) for i in batches)

    def loss(x, y):  # the test net ends with the logits
        check.feed(x, y)
        workspace.RunNet(test_model.net)
        workspace.RunOperatorOnce(core.CreateOperator("SoftmaxWithLoss", ["dense", "label"], ["softmax", "loss"]))
        return workspace.FetchBlob("loss")

    def predict(x):
        return predict(x)

    def evaluate(x, y):
        return evaluate(x, y)
