# PyTorch's lesson as the referee needs it: NumPy arrays in and out. The shared weights have PyTorch's layout.


# %% tags=["check"]
class check:
    def images(x):  # 0..1 -> bytes; what was no byte stays as it is, to be seen
        values = x.cpu().reshape(-1, 28, 28) * 255
        whole = values.round()
        return (whole.to(torch.uint8) if (values - whole).abs().max() < 1e-9 else values).numpy()

    def classes(y):  # of targets or of labels
        return y.argmax(1) if y.ndim == 2 else y

    def tensors(x, y):
        return to_inputs(x), one_hot(y)

    def data():
        pairs = (x_train, y_train), (x_test, y_test)
        return [(check.images(x), check.classes(y).cpu().numpy()) for x, y in pairs]

    def load(weights):
        model.load_state_dict({name: torch.from_numpy(w) for name, w in weights.items()})

    def read():
        return {name: w.numpy(force=True) for name, w in model.state_dict().items()}

    def gradients(x, y):
        if FORM == "compiled":  # it leaves none behind
            found = torch.compile(gradients_of)(model, x, y)[0]
        else:
            train_step(model, optimizer, x, y, torch.arange(len(x), device=device))
            left = grads if FORM == "inplace" else [p.grad for p in model.parameters()]
            found = dict(zip(model.state_dict(), left, strict=True))
        return {name: g.numpy(force=True) for name, g in found.items()}

    def train(x, y, order):
        return train_epoch(model, optimizer, x, y, torch.from_numpy(order).to(device))

    @torch.inference_mode()
    def loss(x, y):
        return loss_fn(model(x), y).item()

    def predict(x):
        return predict(model, x).cpu()

    def evaluate(x, y):
        return evaluate(model, x, check.classes(y))

    def synchronize():
        if device.type == "cuda":
            torch.cuda.synchronize()

    def peak_memory():
        return torch.cuda.max_memory_allocated() if device.type == "cuda" else None
