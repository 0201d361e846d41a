"""Mistakes for tests/plant.py to plant in notebooks/gru_imdb/theano.ipynb. Plain Python 3.6."""

from tests.plants.gru_imdb import AT_END, CLASSES, FIRST_LOSS, GRADIENT, LOSS, SHIFTED, define

CHANGE = "two steps' change of"


SWAP = """
def swap(w):  # gates z, r, n in place of r, z, n, along the axis that holds them
    axis = w.shape.index(300)
    return np.take(w, np.r_[100:200, 0:100, 200:300], axis)
"""

MASKED = """
def masked(x, words, w_ih, w_hh, b_ih, b_hh):
    def step(m, a, h, w_hh, b_hh):
        b = h.dot(w_hh) + b_hh
        rz = T.nnet.sigmoid(a[:, :200] + b[:, :200])
        n = T.tanh(a[:, 200:] + rz[:, :100] * b[:, 200:])
        return T.switch(m.dimshuffle(0, "x"), n + rz[:, 100:] * (h - n), h)

    mask, start = T.cast(T.neq(x.T, 0), "float32"), T.zeros((words.shape[1], 100))
    return theano.scan(step, [mask, words.dot(w_ih) + b_ih], start, [w_hh, b_hh], strict=True)[0]
"""


DATA, MODEL, LOADING = "data = imdb.load(", "class ReviewClassifier", "def transposed"
REVIEWS = "(x, borrow=True) for x in (data.x_train, data.x_test)]"
TRAINED = REVIEWS.replace("data.x_train,", "{}(data.x_train),")
TESTED = REVIEWS.replace("data.x_test)", "{}(data.x_test))")
BOTH = REVIEWS.replace("(x, borrow", "({}(x), borrow")
LOADED = "transposed(p.name, weights[p.name])"
CORRECTIONS = (
    "        rate = learning_rate / (1 - beta1 ** (t + 1))\n        root = 1 / T.sqrt(1 - beta2 ** (t + 1))\n"
)
STEP = "(p, p - rate * m / (root * T.sqrt(v) + epsilon))"
PREDICTED = "np.concatenate([step(i) for i in batches])"
LOSSES = "np.array([step(i) for i in batches])"
WHOLE = " if len(i) == BATCH_SIZE])"
RIGHT = "predict(model, x) == y.eval())"

PLANTS = {
    "gates r and z swapped, loading": (
        [
            define(SWAP, LOADING),
            (LOADED, "transposed(p.name, swap(weights[p.name]) if 'gru' in p.name else weights[p.name])"),
        ],
        GRADIENT,
    ),
    "gates r and z swapped, loading and reading": (
        [
            define(SWAP, LOADING),
            ("    return w if name", "    w = swap(w) if 'gru' in name else w\n    return w if name"),
        ],
        GRADIENT,
    ),
    "gates r and z swapped, in the step": (
        [("r, z = rz[:, :100], rz[:, 100:]", "r, z = rz[:, 100:], rz[:, :100]")],
        GRADIENT,
    ),
    "the recurrent matrix not transposed": (
        [
            (
                LOADED,
                "(weights[p.name].reshape(3, 100, 100).transpose(1, 0, 2).reshape(100, 300) "
                "if p.name == 'gru.weight_hh' else " + LOADED + ")",
            )
        ],
        GRADIENT,
    ),
    "reset gate before the product": (
        [("a[:, 200:] + r * b[:, 200:])", "a[:, 200:] + (r * h).dot(w_hh[:, 200:]) + b_hh[200:])")],
        GRADIENT,
    ),
    "the update gate weighs the candidate, as Lasagne's": (
        [("return n + z * (h - n)", "return h + z * (n - h)")],
        GRADIENT,
    ),
    "the two biases merged": (
        [
            ("b = h.dot(w_hh) + b_hh", "b = h.dot(w_hh) + T.set_subtensor(b_hh[:200], 0)"),
            (
                "    return model\n\n\ndef read_weights",
                "    b_ih, b_hh = [p.get_value() for p in model.gru[2:]]\n"
                "    b_ih[:200] += b_hh[:200]\n"
                "    model.gru[2].set_value(b_ih)\n"
                "    return model\n\n\ndef read_weights",
            ),
        ],
        LOSS,
    ),
    "the second bias not trained": (
        [(STEP, STEP.replace("(p, p -", "(p, p if p.name == 'gru.bias_hh' else p -"))],
        CHANGE + " gru.bias_hh",
    ),
    "time axis reversed": ([("self.embedding[x.T]", "self.embedding[x.T[::-1]]")], GRADIENT),
    "the loop goes backwards": ([('name="gru")', 'name="gru", go_backwards=True)')], GRADIENT),
    "the first state read instead of the last": ([("self.states(x)[-1]", "self.states(x)[0]")], GRADIENT),
    "the gradient goes back 5 words only": ([('name="gru")', 'name="gru", truncate_gradient=5)')], GRADIENT),
    "padding masked": (
        [define(MASKED, MODEL), ("return gru(words, ", "return masked(x, words, ")],
        CHANGE + " embedding",
    ),
    "padding not trained": (
        [
            (
                "T.grad(cost, params)):",
                "[g if k else T.set_subtensor(g[0], 0) for k, g in enumerate(T.grad(cost, params))]):",
            )
        ],
        CHANGE + " embedding",
    ),
    "Adam's epsilon inside the bias correction": (
        [("(root * T.sqrt(v) + epsilon)", "(root * (T.sqrt(v) + epsilon))")],
        LOSS,
    ),
    "Adam's epsilon 1e-7": ([("epsilon=1e-8", "epsilon=1e-7")], LOSS),
    "Adam without the bias correction": ([(CORRECTIONS, "        rate, root = learning_rate, 1\n")], LOSS + " 1"),
    "Adam's counter one too high": (
        [("theano.shared(np.float32(0))", "theano.shared(np.float32(1))")],
        LOSS,
    ),
    "lazy Adam": (
        [
            (
                STEP,
                STEP[:-1] + " * (T.neq(abs(gradient).sum(1, keepdims=True), 0) if p.name == 'embedding' else 1))",
            )
        ],
        LOSS,
    ),
    "weight decay": ([("(1 - beta1) * gradient", "(1 - beta1) * (gradient + 1e-6 * p)")], CHANGE),
    "the updates forgotten": ([("updates=optimizer(cost), ", "")], LOSS + " 1"),
    "softmax applied twice": ([("T.nnet.softmax(logits), y)", "T.nnet.softmax(T.nnet.softmax(logits)), y)")], GRADIENT),
    "the sum instead of the mean": ([("(logits), y).mean()", "(logits), y).sum()")], GRADIENT),
    "padding at the end": ([define(AT_END, DATA), (REVIEWS, BOTH.format("at_end"))], FIRST_LOSS),
    "padding at the end of the test reviews": (
        [define(AT_END, DATA), (REVIEWS, TESTED.format("at_end"))],
        CLASSES,
    ),
    "reviews shifted by one word": ([define(SHIFTED, DATA), (REVIEWS, BOTH.format("shifted"))], FIRST_LOSS),
    "one review shifted by one word": (
        [define(SHIFTED, DATA), (REVIEWS, TRAINED.format("shifted").replace("data.x_train)", "data.x_train, 5)"))],
        FIRST_LOSS,
    ),
    "test reviews shifted by one word": (
        [define(SHIFTED, DATA), (REVIEWS, TESTED.format("shifted"))],
        CLASSES,
    ),
    "last partial batch dropped in training": (
        [(LOSSES, LOSSES[:-2] + WHOLE)],
        "20 losses were handed in, the reference has 21",
    ),
    "last partial batch dropped in predict and evaluate": (
        [(PREDICTED, PREDICTED[:-2] + WHOLE), (RIGHT, RIGHT[:-1] + "[:128])")],
        "128 classes were predicted for 150 samples",
    ),
    "last partial batch dropped in evaluate": (
        [(RIGHT, "predict(model, x)[:128] == y.eval()[:128])")],
        r"0 of 150 classes differ; accuracy 0\.\d+, reference 0\.\d+",
    ),
    "labels not indexed by the order": ([("labels: y[i]}", "labels: y[:i.shape[0]]}")], LOSS + " 0"),
    "labels of a batch in another order": ([("labels: y[i]}", "labels: y[T.sort(i)]}")], LOSS + " 0"),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, order", "optimizer, x_train, y_train[::-1], order")],
        "y_train",
    ),
}
