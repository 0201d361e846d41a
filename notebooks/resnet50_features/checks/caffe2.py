# %% tags=["check"]
"""The adapters through which the referee sees caffe2.ipynb."""

READERS = {"stem": "res2a", "stage2": "res3a", "stage3": "res4a", "stage4": "res5a"}  # who reads each output


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

    def stages(x):  # a folded net has other names of blobs
        features(model, x)
        operators = model.body.net.Proto().op
        inputs = {op.input[1]: op.input[0] for op in operators if op.type.startswith("Conv")}
        blobs = {"images": "data"}
        blobs.update({name: inputs[reader + "_branch2a_w"] for name, reader in READERS.items()})
        blobs["stage5"] = operators[-1].input[0]
        return {name: workspace.FetchBlob(blob).transpose(0, 2, 3, 1) for name, blob in blobs.items()}
