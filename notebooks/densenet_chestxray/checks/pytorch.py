# PyTorch's lesson as the referee needs it: NumPy arrays in and out, in the layout of the shared weights, which is
# PyTorch's own.

# %% tags=["check"]
import contextlib
import functools

from torch.utils.data import Subset, TensorDataset


class check:
    variance, shared, processes = "unbiased", False, True

    def names():  # torchvision's, in the order of the lesson's own
        return [name for name in model.state_dict() if not name.endswith("num_batches_tracked")]

    def tensors(x, y):
        dtype = torch.get_default_dtype()
        return torch.from_numpy(x).to(device, dtype), torch.from_numpy(y).to(device, dtype)

    def load(weights):
        theirs = {check.shared_name(name): name for name in check.names()}
        model.load_state_dict({theirs[name]: torch.from_numpy(w) for name, w in weights.items()}, strict=False)

    def shared_name(name):  # blocks.0.3.norm1.weight -> denseblock1.denselayer4.norm1.weight
        parts = name.split(".")
        if parts[0] != "blocks":
            return name
        number = int(parts[1])
        if number % 2:
            return ".".join([f"transition{number // 2 + 1}", *parts[2:]])
        return ".".join([f"denseblock{number // 2 + 1}", f"denselayer{int(parts[2]) + 1}", *parts[3:]])

    def read():
        state = model.state_dict()
        return {check.shared_name(name): state[name].numpy(force=True) for name in check.names()}

    def gradients(x, y):
        model.train()
        loss_fn(model(x), y).backward()
        return {check.shared_name(name): p.grad.numpy(force=True) for name, p in model.named_parameters()}

    def batched(x, y, order):  # gathers each mini-batch when its turn comes, where the images are
        order = torch.from_numpy(order).to(x.device)
        return ((x[part], y[part]) for part in order.split(BATCH_SIZE))

    def train(x, y, order):
        return train_epoch(model, optimizer, check.batched(x, y, order)).cpu()

    def train_files(paths, y):
        return train_epoch(model, optimizer, loader(paths, y, training=True)).cpu()

    def predict(x):
        return predict(model, check.batched(x, x, np.arange(len(x))))

    def predict_files(paths, y):
        return predict(model, loader(paths, y, training=False))

    def batches(paths, y, training):
        return loader(paths, y, training)

    def as_arrays(x, y):
        return x.numpy(), y.numpy()

    def score(y, probabilities):
        return auc(y, probabilities)

    def devices(x, y):  # the sampler deals them out in turn
        global DistributedSampler
        shuffling, order = DistributedSampler, torch.arange(len(x)).view(2, -1).T.flatten()
        DistributedSampler = functools.partial(shuffling, shuffle=False)
        _, _, gradients = train_on_devices(2, model, TensorDataset(x[order], y[order]), 1)[0]
        DistributedSampler = shuffling
        return {check.shared_name(name): gradient.numpy() for name, gradient in gradients.items()}

    def train_shared(dataset):  # losses of both devices, each with mini-batches of BATCH_SIZE
        results = train_on_devices(2, model, dataset, 1)
        model.load_state_dict(results[0][1])
        return sum(losses for losses, _, _ in results) / len(results)

    def train_devices(x, y, order, size):
        return check.train_shared(Subset(TensorDataset(x, y), order))

    def train_files_devices(paths, y, size):
        return check.train_shared(XRays(paths, y, augment=True))

    @contextlib.contextmanager
    def double():
        torch.set_default_dtype(torch.float64)
        yield
        torch.set_default_dtype(torch.float32)

    def synchronize():
        if device.type == "cuda":
            torch.cuda.synchronize()

    def peak_memory():
        return torch.cuda.max_memory_allocated() if device.type == "cuda" else None
