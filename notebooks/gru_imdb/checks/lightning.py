# Lightning's lesson as the referee needs it: NumPy arrays in and out, in the layout of the shared weights, which is
# PyTorch's own. Behind each call of the Trainer the model lies on the CPU.


# %% tags=["check"]
class Losses(L.Callback):
    def __init__(self):
        self.found = []

    def on_train_batch_end(self, trainer, model, outputs, batch, batch_idx):
        self.found.append(outputs["loss"])


class check:
    fitted = None
    names = {"gru." + name: "gru." + name + "_l0" for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")}
    names.update({"embedding": "embedding.weight", "dense.weight": "dense.weight", "dense.bias": "dense.bias"})

    def tensors(x, y):
        return torch.from_numpy(x), torch.from_numpy(y)

    def data():
        return (x_train.numpy(), y_train.numpy()), (x_test.numpy(), y_test.numpy())

    def load(weights):
        model.network.load_state_dict({own: torch.from_numpy(weights[name]) for name, own in check.names.items()})

    def read():
        state = model.network.state_dict()
        return {name: state[own].numpy(force=True).copy() for name, own in check.names.items()}

    def gradients(x, y):  # the last step's are still there
        check.train(x, y, range(len(x)))
        return {name: model.network.get_parameter(own).grad.numpy() for name, own in check.names.items()}

    def train(x, y, order):
        if check.fitted is not model:  # each fit asks for an optimizer; here the model keeps its first one
            check.fitted, made = model, model.configure_optimizers()
            model.configure_optimizers = lambda: made
        losses = Losses()
        trainer.callbacks, own = [losses], trainer.callbacks
        trainer.fit_loop.max_epochs = trainer.current_epoch + 1
        trainer.fit(model, minibatches(list(order), x, y))
        trainer.callbacks = own
        return torch.stack(losses.found).cpu()

    def loss(x, y):
        return trainer.validate(model, minibatches(range(len(x)), x, y), verbose=False)[0]["val_loss"]

    def predict(x):
        return predict(model, x)

    def evaluate(x, y):
        return evaluate(model, x, y)

    def synchronize():
        if trainer.strategy.root_device.type == "cuda":
            torch.cuda.synchronize()

    def peak_memory():
        return torch.cuda.max_memory_allocated() if trainer.strategy.root_device.type == "cuda" else None
