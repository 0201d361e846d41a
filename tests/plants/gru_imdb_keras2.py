"""Mistakes for tests/plant.py to plant in notebooks/gru_imdb/keras2.ipynb: see gru_imdb_pytorch.py."""

from tests.plants.gru_imdb import AT_END, CHANGE, CLASSES, FIRST_LOSS, GRADIENT, LOSS, SHIFTED, WHOLE, define

RESET_BEFORE = """
class ResetBefore(layers.GRUCell):
    def call(self, inputs, states, training=None):
        h, w, b = states[0], self.recurrent_kernel, self.recurrent_bias
        a = K.dot(inputs, self.kernel) + self.input_bias
        zr = K.sigmoid(a[:, :200] + K.dot(h, w[:, :200]) + b[:200])
        z, r = zr[:, :100], zr[:, 100:]
        n = K.tanh(a[:, 200:] + K.dot(r * h, w[:, 200:]) + b[200:])
        h = z * h + (1 - z) * n
        return h, [h]
"""


# The embedding's rows whose gradient is 0 keep their values.
LAZY = """        grads, update = self.get_gradients(loss, params), K.update
        if BACKEND == "tensorflow":
            grads[0] = backend.convert_to_tensor(grads[0])
        size = K.sum(K.abs(grads[0]), axis=1, keepdims=True)
        present = K.cast(K.greater(size, 0.0), "float32")
        self.get_gradients = lambda loss, params: grads
        K.update = lambda x, new: update(x, x + present * (new - x) if x is params[0] else new)
        updates = super().get_updates(loss, params)
        K.update = update
"""

# The gradient of some of the biases that stand with the state is 0; the mask's one argument says of how many.
UNTRAINED = """        grads, mask = self.get_gradients(loss, params), np.ones((2, 300), "float32")
        mask[1, :{}] = 0
        grads[3] = grads[3] * mask
        self.get_gradients = lambda loss, params: grads
        updates = super().get_updates(loss, params)
"""

TRAIN, TEST = "x_train, y_train = data.x_train,", "x_test, y_test = data.x_test,"
DATA, MODEL = "data = imdb.load(", "def make_model("
EMBEDDING = "layers.Embedding(30000, 125, input_length=150),"
GRU = 'layers.GRU(100, recurrent_activation="sigmoid", reset_after=True),'
ADAM = "= Adam(learning_rate, epsilon=1e-8)"
UPDATES = "        updates = super().get_updates(loss, params)\n"
ORDERED = "        x[order], y[order], batch_size=BATCH_SIZE, shuffle=False, verbose=0, "
SORTED = "np.concatenate([np.sort(i) for i in np.split(order, range(BATCH_SIZE, len(order), BATCH_SIZE))])"

PLANTS = {
    "gates r and z swapped, loading": (
        [("[swap(b_ih), swap(b_hh)]", "[b_ih, b_hh]"), ("swap(w_ih).T, swap(w_hh).T,", "w_ih.T, w_hh.T,")],
        GRADIENT,
    ),
    "gates r and z swapped, loading and reading": ([("np.concatenate([two, one, n])", "w")], GRADIENT),
    "reset gate before the product": (
        [define(RESET_BEFORE, MODEL), (GRU, "layers.RNN(ResetBefore(100, reset_after=True)),")],
        GRADIENT,
    ),
    "hard sigmoid": ([(GRU, 'layers.GRU(100, recurrent_activation="hard_sigmoid", reset_after=True),')], GRADIENT),
    "time axis reversed": ([(GRU, "layers.GRU(100, reset_after=True, go_backwards=True),")], GRADIENT),
    "the first state read instead of the last": (
        [(GRU, "layers.GRU(100, reset_after=True, return_sequences=True), layers.Lambda(lambda h: h[:, 0]),")],
        GRADIENT,
    ),
    "padding masked": (
        [(EMBEDDING, "layers.Embedding(30000, 125, input_length=150, mask_zero=True),")],
        FIRST_LOSS,
    ),
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
    "Adam's epsilon inside the bias correction": ([(" * K.sqrt(1 - K.pow(optimizer.beta_2, t))", "")], LOSS),
    "Adam's epsilon 1e-7": ([("epsilon=1e-8)", "epsilon=1e-7)")], LOSS),
    "Adam's step counter one too high": (
        [(ADAM, ADAM + '\n    optimizer.iterations = K.variable(1, dtype="int64")')],
        LOSS,
    ),
    "epsilon of the next step": ([("K.floatx()) + 1", "K.floatx()) + 2")], LOSS + "|" + CHANGE),
    "lazy Adam": ([(UPDATES, LAZY)], LOSS),
    "weight decay": (
        [(GRU, 'layers.GRU(100, reset_after=True, kernel_regularizer=keras.regularizers.l2(1e-4)),')],
        GRADIENT,
    ),
    "the two biases merged": ([(UPDATES, UNTRAINED.format(200))], LOSS),
    "the second bias not trained": ([(UPDATES, UNTRAINED.format(300))], CHANGE + " of gru.bias_hh"),
    "last partial batch dropped in training": (
        [("    losses = Losses()\n", "    losses = Losses()\n    order = order" + WHOLE.replace("x", "order") + "\n")],
        "20 losses were handed in, the reference has 21",
    ),
    "last partial batch dropped in predict and evaluate": (
        [("model.predict(x, ", "model.predict(x" + WHOLE + ", "),
         ("(predict(model, x) == y)", "(predict(model, x) == y" + WHOLE + ")")],
        "128 classes were predicted for 150 samples",
    ),
    "last partial batch dropped in evaluate": (
        [("(predict(model, x) == y)", "(predict(model, x) == y)" + WHOLE)],
        r"0 of 150 classes differ; accuracy 0\.\d+, reference 0\.\d+",
    ),
    "labels not indexed by the order": ([(ORDERED, ORDERED.replace("y[order]", "y[:len(order)]"))], LOSS),
    "labels of a batch in another order": ([(ORDERED, ORDERED.replace("y[order]", "y[" + SORTED + "]"))], LOSS),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, order", "optimizer, x_train, y_train[::-1], order")],
        "y_train",
    ),
    "reviews shuffled by fit": ([(ORDERED, ORDERED.replace("shuffle=False, ", ""))], LOSS),
    "softmax applied twice": ([("layers.Dense(2)", 'layers.Dense(2, activation="softmax")')], GRADIENT),
    "probabilities expected": ([("from_logits=True", "from_logits=False")], GRADIENT),
}
