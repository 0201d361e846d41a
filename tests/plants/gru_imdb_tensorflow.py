"""Mistakes to plant in the lesson notebooks/gru_imdb/tensorflow.ipynb: see tests/plants/gru_imdb.py."""

from tests.plants import gru_imdb as gru

GRU = "layers.GRU(100, "
LAYER = GRU + 'use_cudnn=False if JIT_COMPILE else "auto")'
EMBEDDING = "layers.Embedding(30000, 125, "
ADAM = "tf.keras.optimizers.Adam(LEARNING_RATE)"
EQUAL = "(predict(model, x) == y).numpy() / len(y)"
APPENDED = "history.append((losses, train_accuracy, test_accuracy))"
TRAINED = "losses = train_epoch(model, optimizer, batches)"

# Layers with a mistake, in front of the model.
WRONG = {
    "first": """class Wrong(layers.RNN):
    def __init__(self):
        super().__init__(layers.GRUCell(100))

    def call(self, sequences, **options):
        return super().call(sequences, initial_state=tf.ones((tf.shape(sequences)[0], 100)))


""",
    "kept": """class Wrong(layers.RNN):
    def __init__(self):
        super().__init__(layers.GRUCell(100))
        self.kept = tf.Variable(tf.zeros((BATCH_SIZE, 100)), trainable=False)

    def call(self, sequences, **options):
        last = super().call(sequences, initial_state=self.kept[: tf.shape(sequences)[0]])
        self.kept.scatter_update(tf.IndexedSlices(last, tf.range(tf.shape(sequences)[0])))
        return last


""",
    "before": """class Cell(layers.GRUCell):
    def call(self, inputs, states, training=False):
        h, w, b = states[0], self.recurrent_kernel, self.bias
        a = tf.matmul(inputs, self.kernel) + b[0]
        zr = tf.sigmoid(a[:, :200] + tf.matmul(h, w[:, :200]) + b[1, :200])
        z, r = zr[:, :100], zr[:, 100:]
        n = tf.tanh(a[:, 200:] + tf.matmul(r * h, w[:, 200:]) + b[1, 200:])
        h = z * h + (1 - z) * n
        return h, [h]


def Wrong():
    return layers.RNN(Cell(100))


""",
}


def wrong(name, expected):
    """A plant of another layer in the place of the GRU."""
    return [("model = tf.keras.Sequential([", WRONG[name] + "model = tf.keras.Sequential(["), (LAYER, "Wrong()")], expected


PLANTS = {
    **gru.SHARED,
    **gru.averaged(),
    "a first state of ones": wrong("first", gru.FORWARD),
    "a state carried over between batches": wrong("kept", gru.FORWARD),
    "the first token dropped": ([(EMBEDDING, "layers.Lambda(lambda x: x[:, 1:]), " + EMBEDDING)], gru.FORWARD),
    "the gates' hard sigmoid": ([(GRU, GRU + 'recurrent_activation="hard_sigmoid", ')], gru.FORWARD),
    "the reset gate before the product": wrong("before", gru.FORWARD),
    "the time axis reversed": ([(GRU, GRU + "go_backwards=True, ")], gru.FORWARD),
    "zeros masked": ([(EMBEDDING, EMBEDDING + "mask_zero=True, ")], gru.FORWARD),
    "the first state read instead of the last": (
        [(GRU, GRU + "return_sequences=True, "), ("layers.Dense(2),", "layers.Lambda(lambda states: states[:, 0]), layers.Dense(2),")],
        gru.FORWARD,
    ),
    "logits taken for probabilities": ([("from_logits=True", "from_logits=False")], gru.FORWARD),
    "the sum of a batch's losses": ([("(from_logits=True)", '(from_logits=True, reduction="sum")')], gru.FORWARD),
    "the accuracy of the first 100 samples": ([(EQUAL, "(predict(model, x[:100]) == y[:100]).numpy() / len(y[:100])")], gru.SHARE),
    "last partial batch dropped in predict": (
        [("from_tensor_slices(x).batch(BATCH_SIZE)", "from_tensor_slices(x).batch(BATCH_SIZE, drop_remainder=True)")],
        gru.SHORT_PREDICTION,
    ),
    "last partial batch dropped in training": ([("for x, y in batches]", "for x, y in batches if len(x) == BATCH_SIZE]")], gru.SHORT_TRAINING),
    "labels of a batch in another order": ([("train_step(model, optimizer, x, y) for", "train_step(model, optimizer, x, y[::-1]) for")], gru.FIRST_LOSS),
    gru.LABELS: ([("from_tensor_slices((x, y)).shuffle(len(x))", "from_tensor_slices((x, tf.roll(y, 7, 0))).shuffle(len(x))")], gru.LEARNED),
    gru.HALF: ([(TRAINED, TRAINED.replace("batches)", "list(batches)[::2])"))], gru.STEPS),
    gru.THREE_POINTS: ([(APPENDED, APPENDED.replace("test_accuracy))", "test_accuracy + 0.03))"))], gru.COUNT),
    "weight decay": ([(ADAM, ADAM[:-1] + ", weight_decay=0.004)")], gru.LATER + "|" + gru.CHANGE),
    "Adam's second momentum": ([(ADAM, ADAM[:-1] + ", beta_2=0.99)")], gru.LATER + "|" + gru.CHANGE),
    "gradients clipped before the update": ([(ADAM, ADAM[:-1] + ", global_clipnorm=1e-3)")], gru.LATER + "|" + gru.CHANGE),
}
