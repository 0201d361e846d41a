# %% tags=["check"]
"""The adapters through which the referee sees jax.ipynb."""


class check:
    def tensors(photos):
        return preprocess(photos)

    def data():
        return np.asarray(x), data.y_test

    def load(arrays):
        load_weights(model, arrays)

    def features(x):
        return np.asarray(features(model, x))

    def logits(found):
        return np.asarray(logits(model, found))

    def stages(x):
        found = {"images": x}
        for name in ("stem", "stage2", "stage3", "stage4", "stage5"):
            found[name] = x = forward(getattr(model, name), x)
        return {name: np.asarray(out) for name, out in found.items()}

    def peak_memory():
        return (jax.devices()[0].memory_stats() or {}).get("peak_bytes_in_use")
