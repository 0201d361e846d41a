# %% tags=["check"]
# Module's lesson as the referee sees it: arrays in and out, weights in the shared layout, which is MXNet's own.
import logging
import warnings

FUSED = {  # in the order of the vector gru_parameters
    "gru.weight_ih": (300, 125),
    "gru.weight_hh": (300, 100),
    "gru.bias_ih": (300,),
    "gru.bias_hh": (300,),
}


class check:
    def tensors(x, y):
        return mx.nd.array(x), mx.nd.array(y)

    def data():
        return [(x.asnumpy(), y.asnumpy().astype("int64")) for x, y in ((x_train, y_train), (x_test, y_test))]

    def load(weights):  # binds the module first, as fit would
        if not model.binded:
            batches = Minibatches(x_train, y_train, BATCH_SIZE)
            model.bind(batches.provide_data, batches.provide_label)
        arrays = {name.replace(".", "_"): mx.nd.array(w) for name, w in weights.items() if name not in FUSED}
        arrays["embedding_weight"] = arrays.pop("embedding")
        arrays["gru_parameters"] = mx.nd.array(np.concatenate([weights[name].ravel() for name in FUSED]))
        model.init_params(arg_params=arrays, aux_params={}, force_init=True)

    def read():
        arrays = {name: array.asnumpy() for name, array in model.get_params()[0].items()}
        sizes = [np.prod(shape) for shape in FUSED.values()]
        fused = np.split(arrays.pop("gru_parameters"), np.cumsum(sizes)[:-1])
        found = {name: part.reshape(FUSED[name]) for name, part in zip(FUSED, fused)}
        found["embedding"] = arrays.pop("embedding_weight")
        found.update({name.replace("_", "."): array for name, array in arrays.items()})
        return found

    def exact():  # MXNet adds epsilon before it corrects Adam's bias, the reference after it
        model.init_optimizer(optimizer=optimizer, optimizer_params=optimizer_params)
        adam = model._optimizer
        update, epsilon = adam.update, adam.epsilon

        def corrected(index, *given):
            step = adam._index_update_count.get(index, 0) + 1
            adam.epsilon = epsilon * (1 - adam.beta2**step) ** 0.5
            update(index, *given)

        adam.update = corrected

    def gradients(x, y):  # a module does not show them: what a step of plain SGD moves, large beside the rounding
        rate = 2.0**20
        plain = {"learning_rate": rate, **{k: v for k, v in optimizer_params.items() if k == "rescale_grad"}}
        model.init_optimizer(optimizer="sgd", optimizer_params=plain, force_init=True)
        before = check.read()
        model.forward_backward(mx.io.DataBatch([x], [y]))
        model.update()
        after = check.read()
        return {name: (before[name] - after[name]) / rate for name in before}

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
