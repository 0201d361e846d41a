# %% tags=["check"]
"""The adapters through which the referee sees keras2.ipynb, on each backend."""

K = keras.backend


def swap(w):  # the gates r, z, n to Keras' z, r, n, and back; they are stacked along the first axis
    one, two, n = np.split(w, 3)
    return np.concatenate([two, one, n])


class check:
    def tensors(x, y):
        return x, y

    def data():
        return (x_train, y_train), (x_test, y_test)

    def load(weights):
        biases = np.stack([swap(weights["gru.bias_ih"]), swap(weights["gru.bias_hh"])])
        kernels = [swap(weights["gru.weight_ih"]).T, swap(weights["gru.weight_hh"]).T]
        arrays = [weights["embedding"], *kernels, biases, weights["dense.weight"].T, weights["dense.bias"]]
        model.set_weights([np.ascontiguousarray(w) for w in arrays])

    def read():
        embedding, kernel, recurrent, biases, w, b = model.get_weights()
        gru = {"weight_ih": kernel.T, "weight_hh": recurrent.T, "bias_ih": biases[0], "bias_hh": biases[1]}
        named = {"gru." + name: swap(array) for name, array in gru.items()}
        return dict(named, **{"embedding": embedding.copy(), "dense.weight": w.T.copy(), "dense.bias": b.copy()})

    def exact():  # Keras' Adam adds an epsilon of 1e-7 before it corrects the bias, the reference 1e-8 after it
        plain = optimizer.get_updates

        def get_updates(loss, params):  # called once, before the first step
            step = K.cast(optimizer.iterations, K.floatx()) + 1
            optimizer.epsilon = 1e-8 * K.sqrt(1 - K.pow(optimizer.beta_2, step))
            updates = plain(loss, params)
            with K.control_dependencies(updates[1:]):  # on TensorFlow nothing else says that it is counted last
                updates[0] = K.update_add(optimizer.iterations, 1)
            return updates

        optimizer.get_updates = get_updates

    def gradients(x, y):  # on every backend: a step of SGD subtracts them; at rate 1024 it is large beside the rounding
        model.compile(keras.optimizers.SGD(1024.0), loss_fn)
        before = check.read()
        model.train_on_batch(x, y)
        after = check.read()
        return {name: (before[name] - after[name]) / 1024 for name in before}

    def train(x, y, order):
        if BACKEND == "cntk" and len(model.metrics_names) > 1:  # a metric costs a second forward pass there
            model.compile(model.optimizer, model.loss)
        losses = []
        collect = keras.callbacks.LambdaCallback(on_batch_end=lambda batch, logs: losses.append(logs["loss"]))
        model.fit(x[order], y[order], batch_size=BATCH_SIZE, shuffle=False, verbose=0, callbacks=[collect])
        return losses

    def loss(x, y):
        return np.ravel(model.evaluate(x, y, batch_size=BATCH_SIZE, verbose=0))[0]  # metrics may follow

    def predict(x):
        return predict(model, x)

    def evaluate(x, y):
        return evaluate(model, x, y)
