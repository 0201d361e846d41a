"""Compute what the lessons of this workload are compared with: DenseNet-121 by hand in NumPy, in float64.

    python notebooks/densenet_chestxray/reference/make.py [PART ...]

PART is one of gradients, training and evaluation, which needs training's statistics; without any, all are computed
(four minutes on one core). Parts that are not named stay as they are stored. The part seeds, which has to be named,
chooses the offsets anew and writes spec.json. PYTHONPATH must hold the project's folder.

Of gradients, changes and statistics, norms and projections are stored (``fingerprint``): a row for each tensor, in the
order of spec.json. A bound is ten times the largest error of eight float32 runs from weights perturbed by one part in
ten million (docs/method.md), each with rounding of its own: their sums err as sums of that many terms do when they are
made one term after the other (``Network.rounded``). So a bound holds for every order of summation, which frameworks
choose differently, and is known before any of them has run. What Adam changes is compared in float64 only: those runs
are of float64, from weights perturbed by two parts in 1e16. A bound is at least ``SMALLEST``.
"""

import json
import sys

import numpy as np

from referee import weights
from referee.files.images import ImageReference
from referee.proof import relative_error, writing
from referee.proof.reference import fingerprint
from referee.proof.training import fingerprint_error

BLOCKS, GROWTH = (6, 12, 24, 16), 32  # dense layers of each block, and the feature maps that a dense layer adds
EPS, MOMENTUM = 1e-5, 0.1  # of batch normalization; running statistics take this share of a batch's
BETAS, ADAM_EPS = (0.9, 0.999), 1e-8  # of Adam; epsilon is added to the root after the bias correction
RUNS, PERTURBED = 8, {np.float32: 1e-7, np.float64: 2e-16}  # perturbed runs, and by which share
# The least bounds: that of losses everywhere (docs/method.md), and ten units of the last place, of float64 for changes.
SMALLEST = {"loss": 2e-6, "logits": 2e-6, "gradients": 1.2e-6, "running": 1.2e-6, "change": 2.2e-15}
DISTANCE, CROSSING = 25, 4  # of a ReLU's inputs from zero, over float32's error; feature maps with both signs
TIES = 1e-5  # values of a pooling window that are nearer may change places in float32: its largest error is 5e-6


# ---- the network; feature maps are (C, N, H, W): those that a dense layer adds lie behind those that it reads


def patches(x, size, stride=1):
    """(C, N, H, W) -> (C * size * size, N * H' * W'): what each output of a convolution reads; zeros at the border."""
    edge = size // 2
    if edge:
        x = np.pad(x, ((0, 0), (0, 0), (edge, edge), (edge, edge)))
    windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(2, 3))[:, :, ::stride, ::stride]
    return windows.transpose(0, 4, 5, 1, 2, 3).reshape(len(x) * size * size, -1)


class Network:
    """DenseNet-121 (Huang et al. 2017, table 1) with the weights ``w``, {name: array}, all of one dtype.

    Each layer gives its output and a function for the way back: the output's gradient -> the input's. That function
    leaves the gradients of the weights in ``grads``. ``statistics`` normalize in evaluation, {name: array}. Without
    them a batch's own do; they are left in ``moments``, {name: (mean, biased variance, number of values)}. ``inputs``
    has what each ReLU is given, ``windows`` (9, values) what the max pooling looks at. ``ties``: windows whose two
    largest values differ by less give their gradient to the second. ``rounding``, a generator, adds the errors that
    sums in the weights' dtype may have.
    """

    def __init__(self, w, statistics=None, ties=0, rounding=None):
        self.w, self.statistics, self.ties, self.rounding = w, statistics, ties, rounding
        self.grads, self.moments, self.inputs = {}, {}, {}

    def product(self, a, b):
        """``a @ b``; with ``rounding``, as if each of its sums had been made one term after the other.

        Of k terms with random signs the partial sums grow as the root of their number, and each addition is off by up
        to half a unit in the last place of a partial sum: a deviation of k / sqrt(6) roundings of a term, each of
        u / sqrt(3) (Higham 2002, Accuracy and Stability of Numerical Algorithms, section 2.8 and chapter 4).
        """
        made = a @ b
        return made if self.rounding is None else made + self.rounded(np.sqrt(a**2 @ b**2), a.shape[1])

    def total(self, x, axis):
        """``x.sum(axis)``, likewise."""
        made = x.sum(axis=axis)
        if self.rounding is None:
            return made
        return made + self.rounded(np.sqrt((x**2).sum(axis=axis)), x.size // made.size)

    def rounded(self, size, terms):
        """Random errors of sums of that many ``terms``, whose squares sum to ``size`` squared."""
        unit = np.finfo(size.dtype).eps / 2
        noise = self.rounding.standard_normal(size.shape).astype(size.dtype)
        return noise * size * size.dtype.type(unit * np.sqrt(terms / 18))

    def conv(self, x, name):
        """Without a bias: the normalization behind it would take it away again."""
        kernel, stride = self.w[name + ".weight"], 2 if name == "conv0" else 1
        (out, _, size, _), read = kernel.shape, patches(x, kernel.shape[2], stride)

        def back(grad):
            self.grads[name + ".weight"] = self.product(grad.reshape(out, -1), read.T).reshape(kernel.shape)
            if name != "conv0":  # nobody asks for the images' gradient
                turned = kernel[:, :, ::-1, ::-1].swapaxes(0, 1).reshape(len(x), -1)
                return self.product(turned, patches(grad, size)).reshape(x.shape)

        made = self.product(kernel.reshape(out, -1), read)
        return made.reshape(out, x.shape[1], x.shape[2] // stride, x.shape[3] // stride), back

    def norm(self, x, name):
        """Batch normalization (Ioffe and Szegedy 2015, algorithm 1), then ReLU."""
        column, over = (-1, 1, 1, 1), (1, 2, 3)
        if self.statistics:
            mean, variance = self.statistics[name + ".running_mean"], self.statistics[name + ".running_var"]
        else:
            count = x[0].size
            mean = self.total(x, over) / count
            variance = self.total((x - mean.reshape(column)) ** 2, over) / count
            self.moments[name] = mean, variance, x[0].size
        gamma, beta = self.w[name + ".weight"].reshape(column), self.w[name + ".bias"].reshape(column)
        scale = 1 / np.sqrt(variance + EPS).reshape(column)
        normal = (x - mean.reshape(column)) * scale
        self.inputs[name] = before = gamma * normal + beta

        def back(grad):
            grad = grad * (before > 0)
            shift, stretch = self.total(grad, over), self.total(grad * normal, over)
            self.grads[name + ".bias"], self.grads[name + ".weight"] = shift, stretch
            return gamma * scale * (grad - (shift.reshape(column) + normal * stretch.reshape(column)) / x[0].size)

        return np.maximum(before, 0), back

    def max_pool(self, x, _):
        """3 x 3 windows at stride 2. The border's zeros win nothing: a ReLU made ``x``, and stops the gradient at 0."""
        c, n, h, w = x.shape
        self.windows = windows = patches(x.reshape(1, c * n, h, w), 3, 2)
        second, first = windows.argsort(axis=0, kind="stable")[-2:]
        gap = np.take_along_axis(windows, first[None], 0) - np.take_along_axis(windows, second[None], 0)
        winner = np.where(gap[0] < self.ties, second, first)

        def back(grad):
            out, grad = np.zeros((c * n, h + 2, w + 2), x.dtype), grad.reshape(c * n, h // 2, w // 2)
            for k in range(9):
                out[:, k // 3 : k // 3 + h : 2, k % 3 : k % 3 + w : 2] += grad * (winner == k).reshape(grad.shape)
            return out[:, 1:-1, 1:-1].reshape(x.shape)

        return windows.max(axis=0).reshape(c, n, h // 2, w // 2), back

    def average_pool(self, x, _):
        """2 x 2 windows at stride 2."""
        c, n, h, w = x.shape
        return x.reshape(c, n, h // 2, 2, w // 2, 2).mean(axis=(3, 5)), lambda g: g.repeat(2, 2).repeat(2, 3) / 4

    def chain(self, x, layers):
        """``layers``, a list of (method, name), one after the other."""
        backs = []
        for layer, name in layers:
            x, back = layer(x, name)
            backs.append(back)

        def through(grad):
            for back in reversed(backs):
                grad = back(grad)
            return grad

        return x, through

    def block(self, x, name):
        """Dense layers: each reads all feature maps before it and adds GROWTH."""
        width, backs = len(x), []
        maps = np.concatenate([x, np.empty((GROWTH * BLOCKS[int(name[-1]) - 1],) + x.shape[1:], x.dtype)])
        while width < len(maps):
            layer = f"{name}.denselayer{len(backs) + 1}."
            steps = [(self.norm, "norm1"), (self.conv, "conv1"), (self.norm, "norm2"), (self.conv, "conv2")]
            maps[width : width + GROWTH], back = self.chain(maps[:width], [(do, layer + what) for do, what in steps])
            backs.append((back, width))
            width += GROWTH

        def through(grad):
            grad = grad.copy()
            for back, width in reversed(backs):
                grad[:width] += back(grad[width : width + GROWTH])
            return grad[: len(x)]

        return maps, through

    def forward(self, images):
        """Images (N, 3, H, W) -> logits (N, 14), and the way back, which gives ``grads``."""
        layers = [(self.conv, "conv0"), (self.norm, "norm0"), (self.max_pool, "")]
        for number in range(1, len(BLOCKS) + 1):
            layers.append((self.block, f"denseblock{number}"))
            if number < len(BLOCKS):
                name = f"transition{number}."
                layers += [(self.norm, name + "norm"), (self.conv, name + "conv"), (self.average_pool, "")]
        maps, through = self.chain(np.ascontiguousarray(images.swapaxes(0, 1)), layers + [(self.norm, "norm5")])
        features, kernel = maps.mean(axis=(2, 3)), self.w["classifier.weight"]

        def back(grad):
            self.grads["classifier.weight"], self.grads["classifier.bias"] = (features @ grad).T, grad.sum(axis=0)
            inner = (grad @ kernel).T / maps[0, 0].size
            through(np.broadcast_to(inner[:, :, None, None], maps.shape))
            return self.grads

        return features.T @ kernel.T + self.w["classifier.bias"], back


# ---- what is done with it


def sigmoid(logits):
    return 1 / (1 + np.exp(-logits))


def cross_entropy(logits, findings):
    """The mean binary cross-entropy over samples and findings, and its gradient."""
    losses = np.maximum(logits, 0) - logits * findings + np.log1p(np.exp(-np.abs(logits)))
    return losses.mean(), (sigmoid(logits) - findings) / logits.size


def gradients(w, x, y, devices=1, ties=0, rounding=None):
    """The mean loss, the logits, the mean gradients of ``devices`` that share the samples, and each one's moments.

    Each normalizes with the moments of its own share.
    """
    losses, logits, found, moments = [], [], [], []
    for i in np.split(np.arange(len(x)), devices):
        network = Network(w, ties=ties, rounding=rounding)
        out, back = network.forward(x[i])
        loss, grad = cross_entropy(out, y[i])
        losses.append(loss)
        logits.append(out)
        found.append(back(grad))
        moments.append(network.moments)
    mean = {name: sum(grads[name] for grads in found) / devices for name in w}
    return np.mean(losses), np.concatenate(logits), mean, moments


def moved(running, moments):
    """Running statistics after one more batch, {"mean", "biased", "unbiased": {name: array}}; {} before the first.

    Frameworks have one of the two variances. The mean starts from 0, a variance from 1.
    """
    found = {"mean": {}, "biased": {}, "unbiased": {}}
    for norm, (mean, variance, count) in moments.items():
        for kind, new in zip(found, (mean, variance, variance * (count / (count - 1))), strict=True):
            name, first = norm + (".running_mean" if kind == "mean" else ".running_var"), float(kind != "mean")
            old = running[kind][name] if running else first
            found[kind][name] = (1 - MOMENTUM) * old + MOMENTUM * new
    return found


class Adam:
    """Kingma and Ba 2015, algorithm 1. Changes ``w``; its rates and corrections are of the same dtype."""

    def __init__(self, w, rate):
        self.w, self.rate, self.steps = w, rate, 0
        self.first, self.second = ({name: np.zeros_like(p) for name, p in w.items()} for _ in range(2))

    def step(self, grads):
        self.steps += 1
        for name, p in self.w.items():
            (b1, b2), grad, m, v = map(p.dtype.type, BETAS), grads[name], self.first[name], self.second[name]
            m += (1 - b1) * (grad - m)
            v += (1 - b2) * (grad * grad - v)
            p -= self.rate / (1 - b1**self.steps) * m / (np.sqrt(v / (1 - b2**self.steps)) + ADAM_EPS)


def train(w, x, y, batches, rate, rounding=None):
    """Adam on mini-batches of sample numbers; changes ``w``. Losses, running statistics, and ``w`` after two steps."""
    adam, losses, running, early = Adam(w, rate), [], {}, None
    for i in batches:
        loss, _, grads, (moments,) = gradients(w, x[i], y[i], rounding=rounding)
        losses.append(loss)
        running = moved(running, moments)
        adam.step(grads)
        if adam.steps == 2:
            early = {name: p.copy() for name, p in w.items()}
    return np.array(losses), running, early


def prints(tensors, start=None):
    """Fingerprints of ``tensors``, or of their differences from ``start``: float64 (tensors, 9)."""
    return np.array([fingerprint(p - start[name] if start else p, name) for name, p in tensors.items()])


def bounds(kind, exact, runs):
    """The bound of each of ``exact``, from its errors in each of ``runs``. ``kind``: of ``SMALLEST``."""
    error = relative_error if kind in ("loss", "logits") else fingerprint_error
    errors = np.max([[error(our, one) for our, one in zip(run, exact, strict=True)] for run in runs], axis=0)
    return np.maximum(writing.FACTOR * errors, SMALLEST[kind])


def of_blocks(single, names):
    """Of bounds of running statistics, for each the largest of its block.

    The weights keep the inputs of ReLUs away from zero at the start; after some steps of Adam a few come near. Which
    layers a flip strikes then is chance, and differs with the order of summation, as with the number of threads.
    """
    block = [name.split(".")[0] for name in names]
    return np.array([max(bound for bound, other in zip(single, block, strict=True) if other == one) for one in block])


class Grouped(Network):
    """A pass forward in which each of ``groups``, slices of the samples, is normalized by its own moments.

    ``errors``, {normalization: (C, 1, 1, 1)}: the largest error of float32 in each feature map. Where they are given,
    ``distances`` keeps the smallest |input| of each ReLU in units of them, and ``offsets``, {bias: initialiser}, go on
    to the next seed that is fit.
    """

    def __init__(self, w, groups, errors=None, offsets=None):
        super().__init__(w)
        self.groups, self.errors, self.offsets, self.distances = groups, errors, offsets or {}, {}

    def norm(self, x, name):
        found = []
        for group in self.groups:
            super().norm(x[:, group], name)
            found.append(self.inputs[name])
        self.inputs[name] = before = np.concatenate(found, axis=1)
        if self.errors:
            self.choose(name, before)
        return np.maximum(before, 0), None

    def choose(self, name, before):
        """Measure ``before``, a ReLU's inputs; shift them and the bias by other offsets until these are fit.

        Few feature maps with inputs of both signs are not. A bias that shifts a whole map and no more has no gradient:
        the normalization behind the next convolution takes the shift away, and rounding is all that is left to compare.
        """
        bias, least = name + ".bias", DISTANCE
        while True:
            self.distances[name] = np.min(np.abs(before) / self.errors[name])
            on = (before > 0).mean(axis=(1, 2, 3))
            fit = self.distances[name] >= least and np.sum((on > 0) & (on < 1)) >= CROSSING
            if fit or bias not in self.offsets:
                return
            self.offsets[bias][2] += 1
            least = 2 * DISTANCE  # so that it stays fit when the offsets before it, and so the errors, change
            new = weights.draw([[bias, on.shape, self.offsets[bias]]], 0)[bias]
            before += (new - self.w[bias]).reshape(-1, 1, 1, 1)
            self.w[bias] = new.astype(before.dtype)


class Maker:
    """The parts; each gives what is stored of it, {key: value}."""

    def __init__(self, known):
        self.known, self.spec = known, known.spec

    def start(self, dtype=np.float64):
        return {name: p.astype(dtype) for name, p in self.known.weights().items()}

    def perturbed(self, dtype):
        """The weights of each run, and the generator of its rounding."""
        for number in range(RUNS):
            given = weights.perturbed(self.start(dtype), PERTURBED[dtype], [2018, number])
            yield given, np.random.default_rng([2019, number])

    def samples(self, w):
        """Training images and findings in the dtype of ``w``."""
        dtype = w["conv0.weight"].dtype
        return self.known.x.astype(dtype), self.known.y.astype(dtype)

    def gradients(self):
        """Of the first samples, by one device ("whole") and by two ("halves"); what a step of Adam makes of them.

        And the running statistics after this pass; those of the second device, too.
        """
        found, start = {"distance": min(self.distances().values())}, self.start()

        def computed(w, devices, ties=0, rounding=None):
            (x, y), i = self.samples(w), self.known.first
            return gradients(w, x[i], y[i], devices, ties, rounding)

        def printed(w, devices, ties=0, rounding=None):
            loss, logits, grads, moments = computed(w, devices, ties, rounding)
            found = {"loss": [loss], "logits": [logits], "gradients": prints(grads)}
            for number, one in enumerate(moments):
                for kind, statistics in moved({}, one).items():
                    found["running." + kind + (".second" if number else "")] = prints(statistics)
            return found

        def stepped(w, devices, rounding=None):
            Adam(w, self.known.learning_rate).step(computed(w, devices, rounding=rounding)[2])
            return prints(w, start)

        for kind, devices in (("whole", 1), ("halves", 2)):
            exact = printed(start, devices)
            runs = [printed(w, devices, 0, rng) for w, rng in self.perturbed(np.float32)]
            for key, value in exact.items():
                bound = bounds(key.split(".")[0], value, [run[key] for run in runs])
                found[kind + "." + key], found[kind + "." + key + "_bound"] = np.squeeze(value), np.squeeze(bound)
            tied = printed(start, devices, TIES)["gradients"]
            tied = [fingerprint_error(one, known) for one, known in zip(tied, exact["gradients"], strict=True)]
            found[kind + ".gradients_bound"] = np.maximum(found[kind + ".gradients_bound"], tied)
            found[kind + ".step"] = step = stepped(self.start(), devices)
            runs = [stepped(w, devices, rng) for w, rng in self.perturbed(np.float64)]
            found[kind + ".step_bound"] = bounds("change", step, runs)
        return found

    def training(self):
        """All samples once: losses, running statistics, and what Adam changes in two and in all steps."""
        start = self.start()

        def computed(w, rounding=None):
            losses, running, early = train(w, *self.samples(w), self.known.parts, self.known.learning_rate, rounding)
            printed = {kind: prints(one) for kind, one in running.items()}
            return losses, running, printed, {"early": prints(early, start), "late": prints(w, start)}

        losses, running, printed, changes = computed(self.start())
        rounded = [computed(*run) for run in self.perturbed(np.float32)]
        doubles = [computed(*run) for run in self.perturbed(np.float64)]
        found = {"losses": losses, "loss_bounds": writing.bound(losses, [run[0] for run in rounded])}
        for kind, value in printed.items():
            found["running." + kind] = value
            runs = [run[2][kind] for run in rounded]
            found["running." + kind + "_bound"] = of_blocks(bounds("running", value, runs), running[kind])
        for kind, value in changes.items():
            found["change." + kind] = value
            runs = [run[3][kind] for run in doubles]
            found["change." + kind + "_bound"] = bounds("change", value, runs)
        both = {**running["mean"], **running["unbiased"]}
        both = np.concatenate([both[name] for name, _, _ in self.spec["statistics"]])
        found["evaluation.statistics"] = both.astype(np.float16)  # all are given these, so few bits will do
        return found

    def evaluation(self):
        """Logits and outputs of the test images, at the weights of the start and the statistics of training."""
        declared, stored = self.spec["statistics"], self.known.results["evaluation.statistics"]
        parts = np.split(stored, np.cumsum([shape[0] for _, shape, _ in declared])[:-1])

        def computed(w, rounding=None):
            dtype = w["conv0.weight"].dtype
            given = {name: part.astype(dtype) for (name, _, _), part in zip(declared, parts, strict=True)}
            x = np.split(self.known.x_test.astype(dtype), len(self.known.x_test))
            logits = np.concatenate([Network(w, given, rounding=rounding).forward(one)[0] for one in x])
            return {"logits": logits, "outputs": sigmoid(logits)}

        found, runs = {}, [computed(*run) for run in self.perturbed(np.float32)]
        for key, value in computed(self.start()).items():
            found["evaluation." + key] = value
            found["evaluation." + key + "_bound"] = bounds("logits", value, [run[key] for run in runs]).max()
        return found

    def distances(self, offsets=None):
        """{normalization: distance of its ReLU's inputs from zero}, for the first samples and for both halves of them.

        Draws those of ``offsets`` anew that are not fit.
        """
        count = len(self.known.first)
        groups = [slice(0, count), slice(count, count + count // 2), slice(count + count // 2, 2 * count)]
        x = self.known.x[np.tile(self.known.first, 2)]
        rounded, first = Grouped(self.start(np.float32), groups), Grouped(self.start(), groups)
        rounded.forward(x.astype(np.float32))
        first.forward(x)
        errors = {}
        for name, inputs in first.inputs.items():  # maps of equal values have none
            errors[name] = np.abs(inputs - rounded.inputs[name]).max(axis=(1, 2, 3), keepdims=True) + 1e-30
        second = Grouped(self.start(), groups, errors, offsets)
        second.forward(x)
        return second.distances

    def seeds(self):
        """Choose the offsets' seeds, and write spec.json. Other offsets have other errors, hence the loop."""
        offsets, before = {name: init for name, _, init in self.spec["tensors"] if init[0] == "offset"}, None
        for init in offsets.values():
            init[2] = 0
        while before != str(offsets):
            before = str(offsets)
            print(min(self.distances(offsets).values()), sum(init[2] for init in offsets.values()), flush=True)
        lines = [f" {json.dumps(key)}: {listed(value)}" for key, value in self.spec.items()]
        self.known.path.with_name("spec.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
        return {}


def listed(value):
    """JSON, of a list with one line for each of its items."""
    if not isinstance(value, list):
        return json.dumps(value)
    return "[\n" + ",\n".join("  " + json.dumps(one) for one in value) + "\n ]"


def main(*parts):
    """Compute the parts and store them beside this file, each when it is done."""
    known = ImageReference("densenet_chestxray")
    for part in parts or ("gradients", "training", "evaluation"):
        found = getattr(Maker(known), part)()
        writing.write(known, **{**known.results, **found})
        print(part, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
