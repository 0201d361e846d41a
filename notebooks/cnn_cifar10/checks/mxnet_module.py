# %% tags=["check"]
# Module's lesson as the referee sees it: arrays in and out, weights in the shared layout, which is MXNet's own.
import logging
import warnings


class check:
    def tensors(x, y):
        return mx.nd.array(x), mx.nd.array(y)

    def data():
        return [(x.asnumpy(), y.asnumpy().astype("int64")) for x, y in ((x_train, y_train), (x_test, y_test))]

    def load(weights):  # binds the module first, as fit would
        if not model.binded:
            batches = Minibatches(x_train, y_train, BATCH_SIZE)
            model.bind(batches.provide_data, batches.provide_label)
        arrays = {name.replace(".", "_"): mx.nd.array(w) for name, w in weights.items()}
        model.init_params(arg_params=arrays, aux_params={}, force_init=True)

    def read():
        arrays, _ = model.get_params()
        return {name.replace("_", "."): array.asnumpy() for name, array in arrays.items()}

    def gradients(x, y):  # a module does not show them: what a step of rate 1 without momentum moves
        plain = dict(optimizer_params, learning_rate=1, momentum=0)
        model.init_optimizer(optimizer=optimizer, optimizer_params=plain, force_init=True)
        before = check.read()
        model.forward_backward(mx.io.DataBatch([x], [y]))
        model.update()
        after = check.read()
        return {name: before[name] - after[name] for name in before}

    def train(x, y, order):
        order = mx.nd.array(order, dtype="int32")
        batches = Minibatches(x.take(order), y.take(order), BATCH_SIZE)
        losses.clear()
        model.logger = logging.getLogger("check")
        model.logger.setLevel(logging.ERROR)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fit says that it keeps what is there: memory, weights, optimizer
            model.fit(
                batches,
                num_epoch=1,
                eval_metric=loss_fn,
                optimizer=optimizer,
                optimizer_params=optimizer_params,
                batch_end_callback=after_batch,
            )
        return list(losses)

    def loss(x, y):
        [(_, value)] = model.score(Minibatches(x, y, BATCH_SIZE), loss_fn)
        return value

    def predict(x):
        return predict(model, x).asnumpy()

    def evaluate(x, y):
        return evaluate(model, x, y)

    def synchronize():
        mx.nd.waitall()
