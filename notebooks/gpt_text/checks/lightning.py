# Lightning's lesson as the referee needs it: NumPy arrays in and out. Its weights are (out, in), and those of queries,
# keys and values lie in one tensor; the shared ones are (in, out), and apart. Behind each call of the Trainer the model
# lies on the CPU.


# %% tags=["check"]
import types

import numpy as np


class Losses(L.Callback):
    def __init__(self):
        self.found = []

    def on_train_batch_end(self, trainer, model, outputs, batch, batch_idx):
        self.found.append(outputs["loss"])


class check:
    parts, fitted = ("query", "key", "value"), None

    def tensors(x, y):
        return torch.from_numpy(x).long(), torch.from_numpy(y).long()

    def data():
        return (x_train.numpy(), y_train.numpy()), (x_test.numpy(), y_test.numpy())

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

    def shared(tensors):  # and back
        found = {}
        for name, w in [(name, w.numpy(force=True)) for name, w in tensors]:
            if name in ("tokens.weight", "positions.weight"):
                found[name[:-7]] = w.copy()
            elif ".qkv." in name:
                for part, piece in zip(check.parts, np.split(w, 3)):
                    found[name.replace("qkv", part)] = piece.T.copy()
            else:
                found[name] = w.T.copy()
        return found

    def load(weights):
        arrays = {name: np.ascontiguousarray(w) for name, w in check.own(weights).items()}
        model.network.load_state_dict({name: torch.from_numpy(w) for name, w in arrays.items()})

    def read():
        return check.shared(model.network.state_dict().items())

    def gradients(x, y):  # the last step's are still there
        clipped, trainer.gradient_clip_val = trainer.gradient_clip_val, None
        check.train(x, y, range(len(x)))
        trainer.gradient_clip_val = clipped
        return check.shared((name, p.grad) for name, p in model.network.named_parameters())

    def train(x, y, order):
        if check.fitted is not model:  # each fit asks for an optimizer and its schedule; here they stay the first ones
            # the proof trains for fewer steps than the schedule is long
            model.trainer = types.SimpleNamespace(estimated_stepping_batches=EPOCHS * -(-TRAIN_SAMPLES // BATCH_SIZE))
            check.fitted, made = model, model.configure_optimizers()
            model.configure_optimizers = lambda: made
        losses = Losses()
        trainer.callbacks, own = [losses], trainer.callbacks
        trainer.fit_loop.max_epochs = trainer.current_epoch + 1
        trainer.fit(model, minibatches(list(order), x, y))
        trainer.callbacks = own
        return torch.stack(losses.found).cpu()

    @torch.no_grad()
    def logits(x):
        mode = model.training
        model.to(trainer.strategy.root_device).eval()
        with trainer.precision_plugin.predict_step_context():
            found = model(x.to(model.device)).float().cpu()
        model.train(mode)
        return found

    def evaluate(x, y):
        return evaluate(model, x, y)

    def generate(prompt, count, temperature, cache):
        return generate(model, prompt, count, temperature, cache)

    def synchronize():
        if trainer.strategy.root_device.type == "cuda":
            torch.cuda.synchronize()

    def peak_memory():
        return torch.cuda.max_memory_allocated() if trainer.strategy.root_device.type == "cuda" else None
