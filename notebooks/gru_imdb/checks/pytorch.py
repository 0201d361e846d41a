# PyTorch's lesson as the referee needs it: NumPy arrays in and out, in the layout of the shared weights, which is
# PyTorch's own.

# %% tags=["check"]
class check:
    names = {"gru." + name: "gru." + name + "_l0" for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")}
    names.update({"embedding": "embedding.weight", "dense.weight": "dense.weight", "dense.bias": "dense.bias"})

    def tensors(x, y):
        return torch.from_numpy(x).to(device), torch.from_numpy(y).to(device)

    def data():
        return [(x.cpu().numpy(), y.cpu().numpy()) for x, y in ((x_train, y_train), (x_test, y_test))]

    def load(weights):
        model.load_state_dict({own: torch.from_numpy(weights[name]) for name, own in check.names.items()})

    def read():
        state = model.state_dict()
        return {name: state[own].numpy(force=True).copy() for name, own in check.names.items()}

    def gradients(x, y):
        loss_fn(model(x), y).backward()
        return {name: model.get_parameter(own).grad.numpy(force=True) for name, own in check.names.items()}

    def train(x, y, order):
        batches = torch.from_numpy(order).to(device).split(BATCH_SIZE)
        return train_epoch(model, optimizer, ((x[i], y[i]) for i in batches)).cpu()

    @torch.inference_mode()
    def loss(x, y):
        model.eval()
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
