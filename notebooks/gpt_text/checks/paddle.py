# Paddle's lesson as the referee needs it: NumPy arrays in and out. Its weights are (in, out), as the shared ones are; those
# of queries, keys and values lie in one tensor.


# %% tags=["check"]
import numpy as np


class check:
    parts = "query", "key", "value"

    def shared(tensors):  # {name in the lesson: tensor} -> shared
        found = {}
        for name, tensor in tensors.items():
            w = tensor.numpy()
            if ".qkv." in name:
                for part, piece in zip(check.parts, np.split(w, 3, axis=-1)):
                    found[name.replace("qkv", part)] = piece.copy()
            else:
                found[name[:-7] if name in ("tokens.weight", "positions.weight") else name] = w.copy()
        return found

    def tensors(x, y):
        return paddle.to_tensor(x, dtype="int64"), paddle.to_tensor(y, dtype="int64")

    def data():
        return [(x.numpy(), y.numpy()) for x, y in ((x_train, y_train), (x_test, y_test))]

    def load(weights):
        for name, parameter in model.named_parameters():
            if ".qkv." in name:
                w = np.concatenate([weights[name.replace("qkv", part)] for part in check.parts], axis=-1)
            else:
                w = weights[name[:-7] if name in ("tokens.weight", "positions.weight") else name]
            parameter.set_value(w)

    def read():
        return check.shared(dict(model.named_parameters()))

    def gradients(x, y):
        loss_fn(model(x), y).backward()
        return check.shared({name: p.grad for name, p in model.named_parameters()})

    def train(x, y, order):
        batches = [paddle.to_tensor(order[k : k + BATCH_SIZE]) for k in range(0, len(order), BATCH_SIZE)]
        return train_epoch(model, optimizer, scheduler, ((x[i], y[i]) for i in batches)).numpy()

    @paddle.no_grad()
    def logits(x):
        model.eval()
        return model(x).numpy()

    def evaluate(x, y):
        return evaluate(model, x, y)

    def generate(prompt, count, temperature, cache):
        return generate(model, prompt, count, temperature, cache)
