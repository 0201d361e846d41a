# %% tags=["check"]
"""The adapters through which the referee sees tensorflow1.ipynb."""


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
        return model.session.run(model.stages, {model.x: x})
