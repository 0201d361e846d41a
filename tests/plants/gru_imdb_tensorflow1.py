"""Mistakes for tests/plant.py to plant in notebooks/gru_imdb/tensorflow1.ipynb: see gru_imdb_pytorch.py."""

from tests.plants.gru_imdb import AT_END, CLASSES, FIRST_LOSS, GRADIENT, LOSS, SHIFTED, WHOLE, define

CHANGE = "two steps' change of {}"


MERGED = """
def merged(weights):
    b_ih, b_hh = weights["gru.bias_ih"], weights["gru.bias_hh"]
    return dict(weights, **{"gru.bias_ih": b_ih + b_hh * GATES, "gru.bias_hh": b_hh * (1 - GATES)})
"""

SWAP = """
def swap(name, w):  # gates z, r, n in place of r, z, n
    return np.concatenate([w[100:200], w[:100], w[200:]]) if "gru" in name else w
"""

LAZY = """
class LazyAdam(tf.train.AdamOptimizer):
    def _resource_apply_dense(self, grad, var):
        old = tf.identity(var.read_value())
        with tf.control_dependencies([old]):
            update = super()._resource_apply_dense(grad, var)
        if var.shape[0] != 30000:
            return update
        with tf.control_dependencies([update]):
            absent = tf.equal(tf.reduce_sum(tf.abs(grad), axis=1), 0)
            return var.assign(tf.where(absent, old, var.read_value()), read_value=False)
"""


TRAIN, TEST = "data.x_train,", "data.x_test,"
OPTIMIZER, DATA = "def make_optimizer", "data = imdb.load"
MADE, EPSILON = "tf.train.AdamOptimizer(learning_rate", "epsilon=1e-8 * tf.sqrt(c)"
LOADING, LOADED = "def transposed", "transposed(name, weights[name])"
CANDIDATE, NEXT = "n = tf.tanh(a_n + r * b_n)", "h = n + z * (h - n)"
TOKENS, WORDS = "tf.transpose(self.x)", 'tf.layers.dense(vectors, 300, name="words")'
DENSE = "tf.convert_to_tensor(gradient)"
BATCHES = "x[i], y[i]) for i in batches]"


def _masked(trained):
    """The gradients, with that of the cell's bias, (300,), times ``trained``."""
    return DENSE, DENSE + " * np.float32({} if 'cell/bias' in variable.name else 1)".format(trained)


PLANTS = {
    "gates r and z swapped, loading": (
        [define(SWAP, LOADING), (LOADED, "transposed(name, swap(name, weights[name]))")],
        GRADIENT,
    ),
    "gates r and z swapped, loading and reading": (
        [
            define(SWAP, LOADING),
            (LOADED, "transposed(name, swap(name, weights[name]))"),
            ("{name: transposed(name, value) for", "{name: swap(name, transposed(name, value)) for"),
            ("{name: transposed(name, g) for", "{name: swap(name, transposed(name, g)) for"),
        ],
        GRADIENT,
    ),
    "gates r and z swapped, in the cell": ([("r, z = tf.split(", "z, r = tf.split(")], GRADIENT),
    "the recurrent matrix not transposed": (
        [
            (
                LOADED,
                "(weights[name].reshape(3, 100, 100).transpose(1, 0, 2).reshape(100, 300) "
                "if name == 'gru.weight_hh' else " + LOADED + ")",
            )
        ],
        GRADIENT,
    ),
    "the two biases swapped": (
        [('"gru.bias_ih", "gru.weight_hh", "gru.bias_hh"', '"gru.bias_hh", "gru.weight_hh", "gru.bias_ih"')],
        GRADIENT,
    ),
    "reset gate before the product": (
        [(CANDIDATE, "n = tf.tanh(a_n + tf.matmul(r * h, self.kernel[:, 200:]) + self.bias[200:])")],
        GRADIENT,
    ),
    "the update gate weighs the candidate, as Lasagne's": ([(NEXT, "h = h + z * (n - h)")], GRADIENT),
    "hard sigmoid, the default of this release's layer": (
        [("tf.sigmoid(", "tf.keras.backend.hard_sigmoid(")],
        GRADIENT,
    ),
    "TensorFlow's Adam, epsilon before the correction": ([(EPSILON, "epsilon=1e-8")], LOSS),
    "Adam's epsilon 1e-7": ([(EPSILON, "epsilon=1e-7 * tf.sqrt(c)")], LOSS),
    "the bias correction one step ahead": (
        [
            (
                "    return train_op",
                "        for power, beta in zip(optimizer._get_beta_accumulators(), (0.9, 0.999)):\n"
                "            power.load(beta**2, model.session)\n    return train_op",
            )
        ],
        LOSS,
    ),
    "updates not counted": ([("apply_gradients(dense, global_step=step)", "apply_gradients(dense)")], LOSS),
    "lazy Adam": ([define(LAZY, OPTIMIZER), (MADE, "LazyAdam(learning_rate")], LOSS),
    "weight decay": (
        [("loss(model.y, model.logits)",
          "loss(model.y, model.logits) + 5e-6 * sum(tf.reduce_sum(v * v) for v in model.variables)")],
        GRADIENT,
    ),
    "the second bias not trained": ([_masked("0")], CHANGE.format("gru.bias_hh")),
    "the two biases merged": (
        [
            define("GATES = np.float32([1] * 200 + [0] * 100)", LOADING),
            (LOADED, "transposed(name, merged(weights)[name])"),
            define(MERGED, "def load_weights"),
            _masked("[0] * 200 + [1] * 100"),
        ],
        LOSS,
    ),
    "time axis reversed": ([(TOKENS, TOKENS + "[::-1]")], GRADIENT),
    "a mask applied": (
        [
            (WORDS, "tf.concat([" + WORDS + ", tf.to_float(tf.not_equal(" + TOKENS + ", 0))[..., None]], 2)"),
            ("a_rz, a_n = tf.split(a, [200, 100], axis=1)", "a_rz, a_n, mask = tf.split(a, [200, 100, 1], axis=1)"),
            (NEXT, "h = h + mask * (n + z * (h - n) - h)"),
        ],
        FIRST_LOSS,
    ),
    "the first state read instead of the last": ([("self.dense(state)", "self.dense(self.states[0])")], GRADIENT),
    "softmax applied twice": (
        [("self.logits = self.dense(state)", "self.logits = tf.nn.softmax(self.dense(state))")],
        GRADIENT,
    ),
    "sum of the losses": (
        [("loss = tf.losses.sparse_softmax_cross_entropy",
          "loss = lambda y, z: tf.losses.sparse_softmax_cross_entropy(y, z, reduction='weighted_sum')")],
        GRADIENT,
    ),
    "padding at the end": (
        [define(AT_END, DATA), (TRAIN, "at_end(data.x_train),"), (TEST, "at_end(data.x_test),")],
        FIRST_LOSS,
    ),
    "padding at the end of the test reviews": (
        [define(AT_END, DATA), (TEST, "at_end(data.x_test),")],
        CLASSES,
    ),
    "reviews shifted by one word": (
        [define(SHIFTED, DATA), (TRAIN, "shifted(data.x_train),"), (TEST, "shifted(data.x_test),")],
        FIRST_LOSS,
    ),
    "one review shifted by one word": ([define(SHIFTED, DATA), (TRAIN, "shifted(data.x_train, 5),")], FIRST_LOSS),
    "test reviews shifted by one word": (
        [define(SHIFTED, DATA), (TEST, "shifted(data.x_test),")],
        CLASSES,
    ),
    "last partial batch dropped in training": (
        [(BATCHES, "x[i], y[i]) for i in batches if len(i) == BATCH_SIZE]")],
        "20 losses were handed in, the reference has 21",
    ),
    "last partial batch dropped in predict and evaluate": (
        [
            ("np.split(x, range(BATCH_SIZE, len(x), BATCH_SIZE))", "np.split(x" + WHOLE + ", len(x) // BATCH_SIZE)"),
            ("(predict(model, x) == y)", "(predict(model, x) == y" + WHOLE + ")"),
        ],
        "128 classes were predicted for 150 samples",
    ),
    "last partial batch dropped in evaluate": (
        [("(predict(model, x) == y)", "(predict(model, x) == y)" + WHOLE)],
        r"0 of 150 classes differ; accuracy 0\.\d+, reference 0\.\d+",
    ),
    "labels not indexed by the order": ([(BATCHES, "x[i], y[:len(i)]) for i in batches]")], LOSS),
    "labels of a batch in another order": ([(BATCHES, "x[i], y[np.sort(i)]) for i in batches]")], LOSS),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, order", "optimizer, x_train, y_train[::-1], order")],
        "y_train",
    ),
}
