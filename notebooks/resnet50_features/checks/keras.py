# %% tags=["check"]
"""The adapters through which the referee sees keras.ipynb, on each backend."""

import importlib


class check:
    def tensors(photos):
        return preprocess(photos)

    def data():
        return np.moveaxis(ops.convert_to_numpy(x), CHANNELS, -1), data.y_test

    def load(arrays):
        load_weights(model, arrays)

    def features(x):
        return features(model, x)

    def logits(found):
        return logits(model, found)

    def stages(x):
        found = {"images": x}
        for part in model.get_layer("features").layers[1:-1]:  # stem, stage2a, stage2b, ...
            found[part.name[:6]] = x = part.predict_on_batch(x)
        return {name: np.moveaxis(ops.convert_to_numpy(out), CHANNELS, -1) for name, out in found.items()}

    def peak_memory():  # of a GPU; 0 without one
        framework = importlib.import_module(BACKEND)
        if BACKEND == "torch":
            return framework.cuda.max_memory_allocated()
        if BACKEND == "jax":
            return (framework.devices()[0].memory_stats() or {}).get("peak_bytes_in_use", 0)
        on_gpu = framework.config.list_physical_devices("GPU")
        return framework.config.experimental.get_memory_info("GPU:0")["peak"] if on_gpu else 0
