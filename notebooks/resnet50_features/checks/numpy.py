# %% tags=["check"]
"""The adapters through which the referee sees numpy.ipynb."""


class check:
    def tensors(photos):
        return preprocess(photos)

    def data():
        return x, data.y_test

    def load(arrays):
        load_weights(model, arrays)

    def features(x):
        return features(model, x)

    def logits(found):
        return logits(model, found)

    def stages(x):
        return dict([("images", x), *((name, out.copy()) for name, out in stages(model, x))])
