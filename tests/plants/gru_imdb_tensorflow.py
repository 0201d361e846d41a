"""Mistakes for tests/plant.py to plant in notebooks/gru_imdb/tensorflow.ipynb: see gru_imdb_pytorch.py."""

from tests.plants.gru_imdb import AT_END, CLASSES, FIRST_LOSS, LOSS, SHIFTED, define

GRADIENT = "gradient of .*: off by"
CHANGE = "two steps' change of {}"


RESET_BEFORE = """
class ResetBefore(layers.GRUCell):
    def call(self, inputs, states, training=False):
        h, w, b = states[0], self.recurrent_kernel, self.bias
        a = tf.matmul(inputs, self.kernel) + b[0]
        zr = tf.sigmoid(a[:, :200] + tf.matmul(h, w[:, :200]) + b[1, :200])
        z, r = zr[:, :100], zr[:, 100:]
        n = tf.tanh(a[:, 200:] + tf.matmul(r * h, w[:, 200:]) + b[1, 200:])
        h = z * h + (1 - z) * n
        return h, [h]
"""

LAZY = """
class LazyAdam(Adam):
    def apply(self, gradients, variables):
        table, gradient = variables[0], tf.convert_to_tensor(gradients[0])
        old = tf.identity(table)
        super().apply(gradients, variables)
        absent = tf.reduce_all(gradient == 0, axis=1, keepdims=True)
        table.assign(tf.where(absent, old, table))
"""

# Keras' own update with the right epsilon: it squares the slices of a word that occurs twice one by one.
SLICES = """
class KerasAdam(keras.optimizers.Adam):
    def update_step(self, gradient, variable, learning_rate):
        epsilon, step = self.epsilon, tf.cast(self.iterations, tf.float32) + 1
        self.epsilon = epsilon * tf.sqrt(1 - self.beta_2**step)
        super().update_step(gradient, variable, learning_rate)
        self.epsilon = epsilon
"""

KERAS = """optimizer = {}(learning_rate, epsilon=1e-8)
    optimizer.build(model.trainable_variables)
    return optimizer"""

COUNTED_BY_PYTHON = """self.count = getattr(self, "count", 0) + 1
        step = tf.constant(float(self.count))"""


TRAIN, TEST = "to_device(data.x_train,", "to_device(data.x_test,"
MODEL, OPTIMIZER, DATA = "def make_model", "def make_optimizer", "def to_device"
MADE, APPLY = "return Adam(model.trainable_variables, learning_rate)", "optimizer.apply(gradients, "
COUNT, UPDATE = "step = self.steps.assign_add(1)", "            tf.raw_ops.ResourceApplyAdam("
GRU = "layers.GRU(100, "
LAYER = GRU + 'use_cudnn=False if JIT_COMPILE else "auto")'
DENSE = "grad=tf.convert_to_tensor(g)"
BIASES = "np.stack([swap(b_ih), swap(b_hh)])"
FULL = "len({0}) // BATCH_SIZE * BATCH_SIZE"
WHOLE = "[: " + FULL.format("x") + "]"
LABELS = "tf.gather(y, i)) for i"


def _masked(rows):
    """The gradients, with that of the biases (2, 300) times ``rows``."""
    return DENSE, "grad=tf.convert_to_tensor(g) * ({} if g.shape == (2, 300) else 1.0)".format(rows)


PLANTS = {
    "gates r and z swapped, loading": ([("swap(w_hh).T", "w_hh.T")], GRADIENT),
    "gates r and z swapped, loading and reading": (
        [("    return np.concatenate([w[100:200], w[:100], w[200:]])", "    return w")],
        GRADIENT,
    ),
    "the two biases swapped": ([(BIASES, "np.stack([swap(b_hh), swap(b_ih)])")], GRADIENT),
    "reset gate before the product": (
        [define(RESET_BEFORE, MODEL), (LAYER, "layers.RNN(ResetBefore(100))")],
        GRADIENT,
    ),
    "Keras' own Adam, epsilon before the correction": ([(MADE, KERAS.format("keras.optimizers.Adam"))], LOSS),
    "epsilon before the correction": ([("1e-8 * tf.sqrt(1 - power2)", "1e-8")], LOSS),
    "Adam's epsilon 1e-7": ([("epsilon = 1e-8", "epsilon = 1e-7")], LOSS),
    "the count of steps one ahead": ([("tf.Variable(0.0)", "tf.Variable(1.0)")], LOSS),
    "steps counted while tracing only": ([(COUNT, COUNTED_BY_PYTHON)], LOSS),
    "the embedding's gradient left as slices, for Keras' Adam": (
        [define(SLICES, OPTIMIZER), (MADE, KERAS.format("KerasAdam"))],
        CHANGE.format("embedding"),
    ),
    "lazy Adam": ([define(LAZY, OPTIMIZER), (MADE, MADE.replace("Adam", "LazyAdam"))], LOSS),
    "weight decay": (
        [(UPDATE, "            w.assign_sub(0.01 * self.learning_rate * w)\n" + UPDATE)],
        CHANGE.format(".*"),
    ),
    "gradients clipped": ([(APPLY, "optimizer.apply(tf.clip_by_global_norm(gradients, 1e-3)[0], ")], LOSS),
    "the second bias not trained": ([_masked("[[1.0], [0.0]]")], CHANGE.format("gru.bias_hh")),
    "the two biases merged": (
        [
            (BIASES, "np.stack([swap(b_ih + b_hh * GATES), swap(b_hh * (1 - GATES))])"),
            define("GATES = np.float32([1] * 200 + [0] * 100)", "def to_keras"),
            _masked("np.float32([[1] * 300, [0] * 200 + [1] * 100])"),
        ],
        LOSS,
    ),
    "time axis reversed": ([(GRU, GRU + "go_backwards=True, ")], GRADIENT),
    "a mask applied": ([("Embedding(30000, 125)", "Embedding(30000, 125, mask_zero=True)")], FIRST_LOSS),
    "the first state read instead of the last": (
        [
            (GRU, GRU + "return_sequences=True, "),
            ("layers.Dense(2),", "layers.Lambda(lambda states: states[:, 0]), layers.Dense(2),"),
        ],
        GRADIENT,
    ),
    "logits taken for probabilities": ([("from_logits=True", "from_logits=False")], GRADIENT),
    "sum instead of mean": ([("(from_logits=True)", '(from_logits=True, reduction="sum")')], GRADIENT),
    "padding at the end": (
        [define(AT_END, DATA), (TRAIN, "to_device(at_end(data.x_train),"), (TEST, "to_device(at_end(data.x_test),")],
        FIRST_LOSS,
    ),
    "padding at the end of the test reviews": (
        [define(AT_END, DATA), (TEST, "to_device(at_end(data.x_test),")],
        CLASSES,
    ),
    "reviews shifted by one word": (
        [
            define(SHIFTED, DATA),
            (TRAIN, "to_device(shifted(data.x_train),"),
            (TEST, "to_device(shifted(data.x_test),"),
        ],
        FIRST_LOSS,
    ),
    "one review shifted by one word": (
        [define(SHIFTED, DATA), (TRAIN, "to_device(shifted(data.x_train, 5),")],
        FIRST_LOSS,
    ),
    "test reviews shifted by one word": (
        [define(SHIFTED, DATA), (TEST, "to_device(shifted(data.x_test),")],
        CLASSES,
    ),
    "last partial batch dropped in training": (
        [("range(0, len(order), ", "range(0, {}, ".format(FULL.format("order")))],
        "20 losses were handed in, the reference has 21",
    ),
    "last partial batch dropped in predict and evaluate": (
        [
            ("range(0, len(x), ", "range(0, {}, ".format(FULL.format("x"))),
            ("(model, x) == y)", "(model, x) == y{})".format(WHOLE)),
        ],
        "128 classes were predicted for 150 samples",
    ),
    "last partial batch dropped in evaluate": (
        [("predict(model, x) == y)", "(predict(model, x) == y){})".format(WHOLE))],
        r"0 of 150 classes differ; accuracy 0\.\d+, reference 0\.\d+",
    ),
    "labels not indexed by the order": ([(LABELS, "y[:len(i)]) for i")], LOSS),
    "labels of a batch in another order": ([(LABELS, "tf.gather(y, sorted(i))) for i")], LOSS),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, order", "optimizer, x_train, y_train[::-1], order")],
        "y_train",
    ),
}
