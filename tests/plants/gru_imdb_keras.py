"""Mistakes for tests/plant.py to plant in notebooks/gru_imdb/keras.ipynb.

Each name maps to the replacements in the text of the code cells and to a regular expression, which the answer of the
proof, or of the test of cells where the mistake is in the run cell, must match.
"""

from tests.plants.gru_imdb import AT_END, CHANGE, CLASSES, FIRST_LOSS, GRADIENT, LOSS, SHIFTED, WHOLE, define

RESET_BEFORE = """
class ResetBefore(layers.GRUCell):
    def call(self, inputs, states, training=False):
        h, w, b = states[0], self.recurrent_kernel, self.bias
        a = ops.matmul(inputs, self.kernel) + b[0]
        zr = ops.sigmoid(a[:, :200] + ops.matmul(h, w[:, :200]) + b[1][:200])
        z, r = zr[:, :100], zr[:, 100:]
        n = ops.tanh(a[:, 200:] + ops.matmul(r * h, w[:, 200:]) + b[1][200:])
        h = z * h + (1 - z) * n
        return h, [h]
"""


# The embedding's rows whose gradient is 0 keep their values.
LAZY = """
        table = (trainable_variables or self._trainable_variables)[0]
        grads, old = densify(grads), ops.copy(table)
        super().apply(grads, trainable_variables)
        present = ops.any(ops.not_equal(grads[0], 0), axis=1, keepdims=True)
        table.assign(ops.where(present, table, old))"""

# The gradient of some of the biases that stand with the state is 0; the mask's one argument says of how many.
UNTRAINED = """
        grads, mask = list(densify(grads)), np.ones((2, 300), "float32")
        mask[1, :{}] = 0
        grads[3] = grads[3] * ops.convert_to_tensor(mask)
        super().apply(grads, trainable_variables)"""

TRAIN, TEST = "x_train, y_train = data.x_train,", "x_test, y_test = data.x_test,"
DATA, MODEL = "data = imdb.load(", "def make_model("
EMBEDDING, GRU = "layers.Embedding(30000, 125),", "layers.GRU(100),"
ADAM = "= Adam(learning_rate, epsilon=1e-8)"
APPLY = "\n        super().apply(densify(grads), trainable_variables)"
BATCH = "return self.x[i], self.y[i]"
PREDICT, EVALUATE = "model.predict(x, ", "model.evaluate(x, y, "

PLANTS = {
    "gates r and z swapped, loading": (
        [("[swap(b_ih), swap(b_hh)]", "[b_ih, b_hh]"), ("swap(w_ih).T, swap(w_hh).T,", "w_ih.T, w_hh.T,")],
        GRADIENT,
    ),
    "gates r and z swapped, loading and reading": ([("np.concatenate([two, one, n])", "w")], GRADIENT),
    "reset gate before the product": (
        [define(RESET_BEFORE, MODEL), (GRU, "layers.RNN(ResetBefore(100)),")],
        GRADIENT,
    ),
    "hard sigmoid": ([(GRU, 'layers.GRU(100, recurrent_activation="hard_sigmoid"),')], GRADIENT),
    "time axis reversed": ([(GRU, "layers.GRU(100, go_backwards=True),")], GRADIENT),
    "the first state read instead of the last": (
        [(GRU, "layers.GRU(100, return_sequences=True), layers.Lambda(lambda h: h[:, 0]),")],
        GRADIENT,
    ),
    "padding masked": ([(EMBEDDING, "layers.Embedding(30000, 125, mask_zero=True),")], FIRST_LOSS),
    "padding at the end": (
        [
            define(AT_END, DATA),
            (TRAIN, "x_train, y_train = at_end(data.x_train),"),
            (TEST, "x_test, y_test = at_end(data.x_test),"),
        ],
        FIRST_LOSS,
    ),
    "padding at the end of the test reviews": (
        [define(AT_END, DATA), (TEST, "x_test, y_test = at_end(data.x_test),")],
        CLASSES,
    ),
    "reviews shifted by one word": (
        [
            define(SHIFTED, DATA),
            (TRAIN, "x_train, y_train = shifted(data.x_train),"),
            (TEST, "x_test, y_test = shifted(data.x_test),"),
        ],
        FIRST_LOSS,
    ),
    "one review shifted by one word": (
        [define(SHIFTED, DATA), (TRAIN, "x_train, y_train = shifted(data.x_train, 5),")],
        FIRST_LOSS,
    ),
    "test reviews shifted by one word": (
        [define(SHIFTED, DATA), (TEST, "x_test, y_test = shifted(data.x_test),")],
        CLASSES,
    ),
    "Keras' own Adam": ([(ADAM, "= keras.optimizers.Adam(learning_rate, epsilon=1e-8)")], LOSS),
    "Adam's epsilon inside the bias correction": ([(" * ops.sqrt(1 - self.beta_2**step)", "")], LOSS),
    "Adam's epsilon 1e-7": ([("epsilon=1e-8)", "epsilon=1e-7)")], LOSS),
    "Adam's step counter one too high": ([(ADAM, ADAM + "\n    optimizer.iterations.assign(1)")], LOSS),
    "epsilon of the next step": ([("self.iterations + 1", "self.iterations + 2")], LOSS + "|" + CHANGE),
    "the rows of a repeated word squared one by one": (
        [("[backend.convert_to_tensor(gradient) for gradient in gradients]", "gradients")],
        LOSS,
    ),
    "lazy Adam": ([(APPLY, LAZY)], LOSS),
    "weight decay": ([(ADAM, "= Adam(learning_rate, epsilon=1e-8, weight_decay=0.01)")], CHANGE),
    "gradients clipped": ([(ADAM, "= Adam(learning_rate, epsilon=1e-8, clipnorm=0.1)")], LOSS),
    "the two biases merged": ([(APPLY, UNTRAINED.format(200))], LOSS),
    "the second bias not trained": ([(APPLY, UNTRAINED.format(300))], CHANGE + " of gru.bias_hh"),
    "last partial batch dropped in training": (
        [("        return len(self.parts)", "        return sum(len(i) == BATCH_SIZE for i in self.parts)")],
        "20 losses were handed in, the reference has 21",
    ),
    "last partial batch dropped in predict and evaluate": (
        [(PREDICT, f"model.predict(x{WHOLE}, "), (EVALUATE, f"model.evaluate(x{WHOLE}, y{WHOLE}, ")],
        "128 classes were predicted for 150 samples",
    ),
    "last partial batch dropped in evaluate": (
        [(EVALUATE, f"model.evaluate(x{WHOLE}, y{WHOLE}, ")],
        r"0 of 150 classes differ; accuracy 0\.\d+, reference 0\.\d+",
    ),
    "labels not indexed by the order": ([(BATCH, "return self.x[i], self.y[: len(i)]")], LOSS),
    "labels of a batch in another order": ([(BATCH, "return self.x[i], self.y[np.sort(i)]")], LOSS),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, order", "optimizer, x_train, y_train[::-1], order")],
        "y_train",
    ),
    "fit shuffles the mini-batches": ([("fit(batches, shuffle=False, ", "fit(batches, ")], LOSS),
    "running means for losses": ([('logs["batch_loss"]', 'logs["loss"]')], LOSS + " 1"),
    "logits taken for probabilities": ([("Crossentropy(from_logits=True)", "Crossentropy()")], GRADIENT),
    "sum instead of mean": (
        [("Crossentropy(from_logits=True)", 'Crossentropy(from_logits=True, reduction="sum")')],
        GRADIENT,
    ),
}
