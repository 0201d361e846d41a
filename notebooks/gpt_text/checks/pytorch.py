# PyTorch's lesson as the referee needs it: NumPy arrays in and out. Its weights are (out, in), and those of queries, keys
# and values lie in one tensor; the shared ones are (in, out), and apart.


# %% tags=["check"]
import numpy as np


class check:
    parts = "query", "key", "value"

    def tensors(x, y):
        return torch.from_numpy(x).long().to(device), torch.from_numpy(y).long().to(device)

    def data():
        return [(x.cpu().numpy(), y.cpu().numpy()) for x, y in ((x_train, y_train), (x_test, y_test))]

    def own(weights):  # shared -> {name in the lesson: array}
        found = {}
        for name, w in weights.items():
            place, _, kind = name.rpartition(".")
            if place.rpartition(".")[2] not in check.parts:
                tail = ".weight" if name in ("tokens", "positions") else ""
                found[name + tail] = w.T if w.ndim == 2 and not tail else w
            elif name.endswith("query." + kind):
                stacked = [weights[name.replace("query", part)].T for part in check.parts]
                found[name.replace("query", "qkv")] = np.concatenate(stacked)
        return found

    def shared(arrays):  # and back
        found = {}
        for name, w in arrays.items():
            if name in ("tokens.weight", "positions.weight"):
                found[name[:-7]] = w.copy()
            elif ".qkv." in name:
                for part, piece in zip(check.parts, np.split(w, 3)):
                    found[name.replace("qkv", part)] = piece.T.copy()
            else:
                found[name] = w.T.copy()
        return found

    def load(weights):
        model.load_state_dict(
            {name: torch.from_numpy(np.ascontiguousarray(w)) for name, w in check.own(weights).items()}
        )

    def read():
        return check.shared({name: w.numpy(force=True) for name, w in model.state_dict().items()})

    def gradients(x, y):
        loss_fn(model(x), y).backward()
        return check.shared({name: p.grad.numpy(force=True) for name, p in model.named_parameters()})

    def train(x, y, order):
        batches = torch.from_numpy(order).to(device).split(BATCH_SIZE)
        return train_epoch(model, optimizer, scheduler, ((x[i], y[i]) for i in batches)).cpu()

    @torch.inference_mode()
    def logits(x):
        model.eval()
        return model(x).float().cpu()

    def evaluate(x, y):
        return evaluate(model, x, y)

    def generate(prompt, count, temperature, cache):
        return generate(model, prompt, count, temperature, cache)

    def synchronize():
        if device.type == "cuda":
            torch.cuda.synchronize()

    def peak_memory():
        return torch.cuda.max_memory_allocated() if device.type == "cuda" else None
