# %% tags=["check"]
"""The adapters through which the referee sees keras2.ipynb, on each backend and in both image formats."""

import gc


class check:
    ENDS = {"stem": "stem", "stage2": "stage2c", "stage3": "stage3d", "stage4": "stage4f", "stage5": "stage5c"}

    def tensors(photos):
        gc.collect()  # of a model before, which refers to itself; on CNTK it holds gigabytes
        return preprocess(photos)

    def data():
        return np.moveaxis(x, CHANNELS, 3), data.y_test

    def load(arrays):
        load_weights(model, arrays)

    def features(x):
        return features(model, x)

    def logits(found):
        return logits(model, found)

    def stages(x):
        body, _ = model
        inner = keras.Model(body.input, [body.get_layer(end).output for end in check.ENDS.values()])
        found = [x] + inner.predict_on_batch(x)
        return {name: np.moveaxis(out, CHANNELS, 3) for name, out in zip(["images"] + list(check.ENDS), found)}
