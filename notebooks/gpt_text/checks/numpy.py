# %% tags=["check"]
# How the referee reaches into numpy.ipynb: arrays in and out. The lesson's queries, keys and values lie side by side.
class check:
    parts = "query", "key", "value"

    def layers():  # {name of the shared weights: the lesson's layer}
        found = {}
        for number, block in enumerate(model.blocks):
            (norm1, attention, output, _), (norm2, up, _, down, _) = block.branches
            named = {"norm1": norm1, "qkv": attention.qkv, "output": output, "norm2": norm2, "up": up, "down": down}
            found.update({"blocks.{}.{}".format(number, name): layer for name, layer in named.items()})
        return dict(found, norm=model.norm)

    def shared(of):  # of: "params" or "grads" -> {tensor: a view of the lesson's array}
        found = dict(zip(("tokens", "positions"), getattr(model, of)))
        for name, layer in check.layers().items():
            for kind, array in zip(("weight", "bias"), getattr(layer, of)):
                if name.endswith("qkv"):
                    for part, piece in zip(check.parts, np.split(array, 3, axis=-1)):
                        found[name[:-3] + part + "." + kind] = piece
                else:
                    found[name + "." + kind] = array
        return found

    def tensors(x, y):
        return x, y

    def data():
        return (x_train, y_train), (x_test, y_test)

    def load(weights):
        for name, array in check.shared("params").items():
            array[...] = weights[name]

    def read():
        return {name: array.copy() for name, array in check.shared("params").items()}

    def gradients(x, y):
        model.backward(loss_fn(model.forward(x), y)[1])
        return check.shared("grads")

    def train(x, y, order):
        return train_epoch(model, optimizer, x, y, order)

    def logits(x):
        Dropout.on = False
        return model.forward(x)

    def evaluate(x, y):
        return evaluate(model, x, y)

    def generate(prompt, count, temperature, cache):
        return generate(model, prompt, count, temperature, cache)
