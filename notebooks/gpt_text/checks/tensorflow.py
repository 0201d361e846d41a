# %% tags=["check"]
"""The adapters through which the referee sees tensorflow.ipynb. Queries, keys and values are (128, 4, 32)."""


class check:
    def tensors(x, y):
        return tf.constant(x, tf.int32), tf.constant(y, tf.int32)

    def data():
        return (x_train.numpy(), y_train.numpy()), (x_test.numpy(), y_test.numpy())

    def variables():  # {tensor: the lesson's variable}
        found = {"tokens": model.tokens.embeddings, "positions": model.positions.embeddings}
        parts = {"norm": model.norm}
        for number, block in enumerate(model.blocks):
            inner = {name: getattr(block, name) for name in ("norm1", "norm2", "up", "down")}
            inner.update(
                {name: getattr(block.attention, name + "_dense") for name in ("query", "key", "value", "output")}
            )
            parts.update({f"blocks.{number}.{name}": layer for name, layer in inner.items()})
        for name, layer in parts.items():
            weight, bias = (layer.gamma, layer.beta) if "norm" in name else (layer.kernel, layer.bias)
            found[name + ".weight"], found[name + ".bias"] = weight, bias
        return found

    def shared(name, w):
        if name.endswith(".bias"):
            return w.reshape(-1)
        return w.reshape(WIDTH, WIDTH) if w.ndim == 3 else w

    def load(weights):
        for name, variable in check.variables().items():
            variable.assign(weights[name].reshape(variable.shape))

    def read():
        return {name: check.shared(name, variable.numpy().copy()) for name, variable in check.variables().items()}

    def exact():  # Keras adds epsilon before it corrects Adam's bias, the reference after it
        apply, own = optimizer.apply, optimizer.epsilon

        def corrected(grads, variables):
            step = tf.cast(optimizer.iterations + 1, tf.float32)
            optimizer.epsilon = own * tf.sqrt(1 - 0.95**step)
            apply([tf.convert_to_tensor(g) for g in grads], variables)
            optimizer.epsilon = own

        optimizer.apply = corrected

    def gradients(x, y):
        named = check.variables()
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x, training=True))
        grads = tape.gradient(loss, [variable.value for variable in named.values()])
        return {name: check.shared(name, tf.convert_to_tensor(g).numpy()) for name, g in zip(named, grads)}

    def train(x, y, order):
        batches = np.split(order, range(BATCH_SIZE, len(order), BATCH_SIZE))
        return train_epoch(model, optimizer, ((tf.gather(x, i), tf.gather(y, i)) for i in batches))

    def logits(x):
        return model(x, training=False).numpy()

    def evaluate(x, y):
        return evaluate(model, x, y)

    def generate(prompt, count, temperature, cache):
        return generate(model, prompt, count, temperature, cache)

    def synchronize():
        tf.test.experimental.sync_devices()

    def peak_memory():
        gpus = tf.config.list_logical_devices("GPU")
        return tf.config.experimental.get_memory_info("GPU:0")["peak"] if gpus else None
