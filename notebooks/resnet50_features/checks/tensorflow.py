# %% tags=["check"]
"""The adapters through which the referee sees tensorflow.ipynb."""


class check:
    def tensors(photos):
        return preprocess(photos)

    def data():
        return x.numpy(), data.y_test

    def load(arrays):
        load_weights(model, arrays)

    def features(x):
        return features(model, x).numpy()

    def logits(found):
        return logits(model, found).numpy()

    def stages(x):
        found = {"images": x}
        for name in ("stem", "stage2", "stage3", "stage4", "stage5"):
            found[name] = x = getattr(model, name)(x, training=False)
        return {name: out.numpy() for name, out in found.items()}

    def synchronize():
        tf.test.experimental.sync_devices()

    def peak_memory():
        gpus = tf.config.list_logical_devices("GPU")
        return tf.config.experimental.get_memory_info("GPU:0")["peak"] if gpus else None
