"""Mistakes for tests/plant.py to plant in notebooks/gru_imdb/numpy.ipynb: see gru_imdb_pytorch.py."""

from tests.plants.gru_imdb import AT_END, CHANGE, CLASSES, FIRST_LOSS, GRADIENT, LOSS, SHIFTED, WHOLE, define
from tests.plants.reference import UNCOMPARED

DATA, READ = "data = imdb.load(", "def read_weights"
REVIEWS = "x_train, y_train, x_test, y_test = data.x_train, data.y_train, data.x_test, data.y_test"
GATES = "r, z, m = rz[:, :UNITS], rz[:, UNITS:], b[:, 2 * UNITS :]"
TOKENS = ("words = model[\"embedding\"][x.T]", "embedding_backward(x.T.ravel(), ")
TENSORS = "    for name, whole in model.items():\n"
STEP = "w -= rate * mean / (root * np.sqrt(square) + epsilon)"
RIGHT = "np.mean(predict(model, x) == y)"


def handed(change, *names):
    """The replacement that hands ``change`` of x_train, x_test or both on."""
    line = REVIEWS
    for name in names:
        line = line.replace("data." + name, change.format("data." + name))
    return REVIEWS, line


PLANTS = {
    "gates r and z swapped": (
        [UNCOMPARED, (GATES, GATES.replace("r, z, m", "z, r, m")), ("[d_r, d_z, d_n", "[d_z, d_r, d_n")],
        GRADIENT,
    ),
    "reset gate before the product": (
        [
            UNCOMPARED,
            (" + r * m)", " + (r * states[t]) @ weight[:, 2 * UNITS :] + bias[2 * UNITS :])"),
        ],
        LOSS + " 0",
    ),
    "Adam's epsilon inside the bias correction": (
        [(STEP, "w -= rate * mean / (root * (np.sqrt(square) + epsilon))")],
        LOSS,
    ),
    "Adam's epsilon 1e-7": ([("epsilon=1e-8", "epsilon=1e-7")], LOSS),
    "lazy Adam": ([(STEP, STEP.replace("mean", "mean * g.any(axis=-1, keepdims=True)"))], LOSS),
    "the last row of each block left out of the update": ([("k : k + 500", "k : k + 499")], LOSS + "|" + CHANGE),
    "the two biases merged": (
        [
            (
                "    return model\n\n\n" + READ,
                '    model["gru.bias_ih"][: 2 * UNITS] += model["gru.bias_hh"][: 2 * UNITS]\n'
                '    model["gru.bias_hh"][: 2 * UNITS] = 0\n'
                "    return model\n\n\n" + READ,
            ),
            (
                TENSORS,
                TENSORS + '        if name == "gru.bias_hh":\n            gradients[name][: 2 * UNITS] = 0\n',
            ),
        ],
        LOSS,
    ),
    "time axis reversed": ([UNCOMPARED] + [(text, text.replace("x.T", "x.T[::-1]")) for text in TOKENS], GRADIENT),
    "padding masked": (
        [
            UNCOMPARED,
            (
                GATES,
                GATES + "\n"
                '        padding = (words[t] == model["embedding"][0]).all(axis=1, keepdims=True)\n'
                "        z = np.where(padding, words.dtype.type(1), z)",
            ),
        ],
        CHANGE + " of embedding",
    ),
    "padding not trained": (
        [UNCOMPARED, ("    return gradient\n", "    gradient[0] = 0\n    return gradient\n")],
        CHANGE + " of embedding",
    ),
    "padding at the end": ([define(AT_END, DATA), handed("at_end({})", "x_train", "x_test")], FIRST_LOSS),
    "padding at the end of the test reviews": ([define(AT_END, DATA), handed("at_end({})", "x_test")], CLASSES),
    "one review shifted by one word": ([define(SHIFTED, DATA), handed("shifted({}, 5)", "x_train")], FIRST_LOSS),
    "test reviews shifted by one word": ([define(SHIFTED, DATA), handed("shifted({})", "x_test")], CLASSES),
    "last partial batch dropped in training": (
        [("y[i]) for i in batches]", "y[i]) for i in batches if len(i) == BATCH_SIZE]")],
        "20 losses were handed in, the reference has 21",
    ),
    "last partial batch dropped in predict and evaluate": (
        [
            ("for part in parts])", "for part in parts if len(part) == BATCH_SIZE])"),
            (RIGHT, "np.mean(predict(model, x) == y" + WHOLE + ")"),
        ],
        "128 classes were predicted for 150 samples",
    ),
    "last partial batch dropped in evaluate": (
        [(RIGHT, "np.mean((predict(model, x) == y)" + WHOLE + ")")],
        r"0 of 150 classes differ; accuracy 0\.\d+, reference 0\.\d+",
    ),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, order", "optimizer, x_train, y_train[::-1], order")],
        "y_train",
    ),
}
