# %% tags=["check"]
"""The adapters through which the referee sees chainer.ipynb."""


class check:
    def tensors(photos):
        return preprocess(photos)

    def data():
        return x.transpose(0, 2, 3, 1), data.y_test

    def load(arrays):
        load_weights(model, arrays)

    def features(x):
        return features(model, x)

    def logits(found):
        return logits(model, found)

    def stages(x):
        found, x = {"images": x}, chainer.Variable(x)
        with chainer.using_config("train", False), chainer.no_backprop_mode():
            for name in ("stem", "stage2", "stage3", "stage4", "stage5"):
                x = getattr(model, name)(x)
                found[name] = x.array
        return {name: np.array(out).transpose(0, 2, 3, 1) for name, out in found.items()}
