"""Shared initial weights, drawn by NumPy from a declaration: the same bytes in every kernel."""

import numpy as np
from common.data.files import digest as array_digest


def draw(tensors, seed, dtype=np.float32):
    """The tensors of a declaration, a dict in its order.

    ``tensors``: a list of [name, shape, initialiser]. An initialiser is "zeros"; "ones"; ["normal", deviation];
    ["uniform", low, high]; "glorot", which is uniform in ±sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010, eq.
    16) for shapes (out, in) and (out, in, height, width); ["glorot", parts] for that many matrices stacked along
    the first axis, such as the gates of a recurrent layer; ["gates", deviation, low, high] for the biases of a
    GRU's three gates, normal, of which the second's, the update gate's, are spread from ``low`` to ``high``; "he",
    which is normal with deviation sqrt(2 / fan_in) (He et al. 2015, eq. 10) for the same shapes; or ["offset",
    size, seed]. This one is for the biases of batch normalization before a ReLU: 70 % of them are about ``size``,
    30 % about -``size``, with a normal deviation of 0.2. Most units are then wholly on or wholly off, so that
    rounding can flip few of them.
    ``seed`` has a generator of its own: another seed leaves all other tensors as they are.
    Raises ValueError for another initialiser.
    """
    rng = np.random.default_rng(seed)
    return {name: _draw(rng, shape, init).astype(dtype) for name, shape, init in tensors}


def _draw(rng, shape, init):
    kind, arguments = (init, ()) if isinstance(init, str) else (init[0], init[1:])
    if kind == "zeros":
        return np.zeros(shape)
    if kind == "ones":
        return np.ones(shape)
    if kind == "normal":
        return arguments[0] * rng.standard_normal(shape)
    if kind == "uniform":
        return rng.uniform(arguments[0], arguments[1], shape)
    if kind == "glorot":
        receptive, parts = int(np.prod(shape[2:])), arguments[0] if arguments else 1
        limit = np.sqrt(6.0 / ((shape[0] // parts + shape[1]) * receptive))
        return rng.uniform(-limit, limit, shape)
    if kind == "he":
        return np.sqrt(2.0 / np.prod(shape[1:])) * rng.standard_normal(shape)
    if kind == "gates":
        found = arguments[0] * rng.standard_normal(shape)
        units = shape[0] // 3
        found[units : 2 * units] += np.linspace(arguments[1], arguments[2], units)
        return found
    if kind == "offset":
        own = np.random.default_rng(arguments[1])
        return np.where(own.random(shape) < 0.7, 1, -1) * arguments[0] + 0.2 * own.standard_normal(shape)
    raise ValueError("{!r} is no initialiser: zeros, ones, normal, uniform, glorot, gates, he or offset".format(init))


def perturbed(weights, relative, seed):
    """A copy of ``weights`` whose every value is off by about one part in 1 / ``relative``."""
    rng = np.random.default_rng(seed)
    return {name: (w * (1 + relative * rng.standard_normal(w.shape))).astype(w.dtype) for name, w in weights.items()}


def scaled(weights, factor):
    """``weights`` times ``factor``, of the same dtypes."""
    return {name: (w * factor).astype(w.dtype) for name, w in weights.items()}


def one_sided(weights, parts):
    """``weights``, of which every ``step``-th row keeps one sign in each block of ``size`` inputs: that of its first.

    ``parts``: {tensor: [step, size]}; the weights of the other sign become 0.
    """
    found = dict(weights)
    for name, (step, size) in parts.items():
        found[name] = w = weights[name].copy()
        blocks = w[::step].reshape(-1, size)
        kept = np.sign(blocks) == np.sign(blocks[:, :1])
        w[::step] = (blocks * kept).reshape(w[::step].shape)
    return found


def digest(weights):
    """Hex sha256 over names and values of ``weights``, a dict of arrays, in the order of the names."""
    names = sorted(weights)
    return array_digest(np.array(names, dtype="S64"), *[np.asarray(weights[name]) for name in names])
