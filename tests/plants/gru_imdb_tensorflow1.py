"""Mistakes for tests/plant.py to plant in notebooks/gru_imdb/tensorflow1.ipynb: see gru_imdb_pytorch.py."""

from tests.plants.gru_imdb import AT_END, CLASSES, FIRST_LOSS, GRADIENT, LOSS, SHIFTED, WHOLE, define

CHANGE = "two steps' change of {}"


RESET_BEFORE = """
class ResetBefore(layers.GRUCell):
    def call(self, inputs, states, training=None):
        h, w, b = states[0], self.recurrent_kernel, self.bias
        a = tf.matmul(inputs, self.kernel) + b[0]
        zr = tf.sigmoid(a[:, :200] + tf.matmul(h, w[:, :200]) + b[1, :200])
        z, r = zr[:, :100], zr[:, 100:]
        n = tf.tanh(a[:, 200:] + tf.matmul(r * h, w[:, 200:]) + b[1, 200:])
        h = z * h + (1 - z) * n
        return h, [h]
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
MODEL, OPTIMIZER, DATA = "class ReviewClassifier", "def make_optimizer", "data = imdb.load"
MADE, EPSILON = "tf.train.AdamOptimizer(learning_rate", "epsilon=1e-8 * tf.sqrt(c)"
CELL, OPTIONS = 'recurrent_activation="sigmoid", reset_after=True, ', "implementation=2"
LAYER = "layers.GRU(\n            100, " + CELL + OPTIONS + "\n        )"
DENSE = "tf.convert_to_tensor(gradient)"
BIASES = "np.stack([swap(b_ih), swap(b_hh)])"
BATCHES = "x[i], y[i]) for i in batches]"


def _masked(rows):
    """The gradients, with that of the biases (2, 300) times ``rows``."""
    return DENSE, DENSE + " * np.float32({} if variable.shape == (2, 300) else 1)".format(rows)


PLANTS = {
    "gates r and z swapped, loading": ([("swap(w_hh).T", "w_hh.T")], GRADIENT),
    "gates r and z swapped, loading and reading": (
        [("    return np.concatenate([w[100:200], w[:100], w[200:]])", "    return w")],
        GRADIENT,
    ),
    "the two biases swapped": ([(BIASES, "np.stack([swap(b_hh), swap(b_ih)])")], GRADIENT),
    "reset gate before the product": (
        [define(RESET_BEFORE, MODEL), (LAYER, "layers.RNN(ResetBefore(100, reset_after=True))")],
        GRADIENT,
    ),
    "hard sigmoid, this release's default": ([(CELL, "reset_after=True, ")], GRADIENT),
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
    "the second bias not trained": ([_masked("[[1], [0]]")], CHANGE.format("gru.bias_hh")),
    "the two biases merged": (
        [
            (BIASES, "np.stack([swap(b_ih + b_hh * GATES), swap(b_hh * (1 - GATES))])"),
            define("GATES = np.float32([1] * 200 + [0] * 100)", "def to_layout"),
            _masked("[[1] * 300, [0] * 200 + [1] * 100]"),
        ],
        LOSS,
    ),
    "time axis reversed": ([(OPTIONS, OPTIONS + ", go_backwards=True")], GRADIENT),
    "a mask applied": ([("Embedding(30000, 125)", "Embedding(30000, 125, mask_zero=True)")], FIRST_LOSS),
    "the first state read instead of the last": (
        [(OPTIONS, OPTIONS + ", return_sequences=True"), ("self.dense(state)", "self.dense(state[:, 0])")],
        GRADIENT,
    ),
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
