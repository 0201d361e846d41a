# PyTorch's lesson as the referee needs it: NumPy arrays in and out. The shared weights have PyTorch's layout.


# %% tags=["check"]
from referee.data import to_bytes


class check:
    def tensors(x, y):
        return to_images(x), torch.from_numpy(y).to(device)

    def data():
        return [(to_bytes(x.cpu().numpy()[:, 0]), y.cpu()) for x, y in ((x_train, y_train), (x_test, y_test))]

    def load(weights):
        model.load_state_dict({name: torch.from_numpy(w) for name, w in weights.items()})

    def read():
        return {name: w.numpy(force=True) for name, w in model.state_dict().items()}

    def gradients(x, y):  # a step leaves them behind
        train_step(model, optimizer, x, y)
        return {name: p.grad.numpy(force=True) for name, p in model.named_parameters()}

    def train(x, y, order):
        return train_epoch(model, optimizer, x, y, torch.from_numpy(order).to(device))

    @torch.inference_mode()
    def loss(x, y):
        return loss_fn(model(x), y).item()

    def predict(x):
        return predict(model, x).cpu()

    def evaluate(x, y):
        return evaluate(model, x, y)

    def synchronize():
        if device.type == "cuda":
            torch.cuda.synchronize()

    def peak_memory():
        return torch.cuda.max_memory_allocated() if device.type == "cuda" else None

    def profile():  # of the lesson's own cells, where they have run: in milliseconds
        return {kind: time / 1e3 for kind, time in times.items()} if "times" in globals() else None
