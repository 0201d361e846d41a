"""Mistakes to plant in the lesson notebooks/gru_imdb/equinox.ipynb: see tests/plants/gru_imdb.py."""

from tests.plants import gru_imdb as gru

LOOP = "def train_epoch(model, opt_state, batches):\n"
KEPT = '    globals()["earlier"] = jax.tree.map(jnp.copy, model)\n'
AVERAGED = """plain_predict = predict


def predict(model, x):  # a step deletes what it is given, so the loop has kept a copy
    before = globals().get("earlier", model)
    return plain_predict(jax.tree.map(lambda now, then: (now + then) / 2, model, before), x)


def evaluate("""
ZEROS = "jnp.zeros(100)"
STEP = "model, opt_state, loss = train_step(model, opt_state, x, y)"
CARRIED = """first = carried[: x.shape[0]]
        carried = carried.at[: x.shape[0]].set(jax.vmap(model.read)(x, first)[0])
        model, opt_state, loss = train_step(model, opt_state, x, y, first)"""
CARRY = [
    (ZEROS, ZEROS + " if first is None else first"),
    ("def read(self, x):", "def read(self, x, first=None):"),
    ("def __call__(self, x):", "def __call__(self, x, first=None):"),
    ("last, _ = self.read(x)", "last, _ = self.read(x, first)"),
    ("def loss_fn(model, x, y):", "def loss_fn(model, x, y, first=None):"),
    ("(jax.vmap(model)(x), y).mean()", "(jax.vmap(model)(x, first), y).mean()"),
    ("def train_step(model, opt_state, x, y):", "def train_step(model, opt_state, x, y, first):"),
    ("(loss_fn)(model, x, y)", "(loss_fn)(model, x, y, first)"),
    (LOOP, LOOP + "    carried = jnp.zeros((BATCH_SIZE, 100))\n"),
    (STEP, CARRIED),
]
ADAM = "optax.adam(LEARNING_RATE)"
APPENDED = "history.append((losses, train_accuracy, test_accuracy))"
TAKEN = "jnp.take(y, i, axis=0)"
MODEL, CELL = "class ReviewClassifier(eqx.Module):", "self.cell(word, h)"
OWN_CELL = """def own_cell(cell, x, h):
    a, b = jnp.split(cell.weight_ih @ x + cell.bias, 3), jnp.split(cell.weight_hh @ h, 3)
    r, z = jax.nn.sigmoid(a[0] + b[0]), jax.nn.sigmoid(a[1] + b[1])
    n = jnp.tanh(a[2] + r * (b[2] + cell.bias_n))
    return (1 - z) * n + z * h


"""
LAZY = """def lazy(rate):  # only words that occur move
    adam = optax.adam(rate)

    def update(grads, state, params):
        updates, state = adam.update(grads, state, params)
        occur = jnp.any(grads.embedding.weight != 0, axis=1, keepdims=True)
        return eqx.tree_at(lambda tree: tree.embedding.weight, updates, updates.embedding.weight * occur), state

    return optax.GradientTransformation(adam.init, update)


"""
LOSS = "def loss_fn("


def own(*changes):
    """The changes that put a cell of our own, with a mistake, in the place of Equinox'."""
    text = OWN_CELL
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return [(CELL, "own_cell(self.cell, word, h)"), (MODEL, text + MODEL)]


PLANTS = {
    **gru.SHARED,
    "averaged weights in predict": ([("def evaluate(", AVERAGED), (LOOP, LOOP + KEPT)], gru.AFTER),
    "a cell of our own: no mistake": (own(), ""),
    "a first state of ones": ([(ZEROS, "jnp.ones(100)")], gru.FORWARD),
    "a state carried over between batches": (CARRY, gru.FORWARD),
    "the first token dropped": ([("jax.vmap(self.embedding)(x))", "jax.vmap(self.embedding)(x[1:]))")], gru.FORWARD),
    "the gates r and z swapped": (own(("r, z = jax", "z, r = jax")), gru.FORWARD),
    "the update gate the other way round": (own(("(1 - z) * n + z * h", "z * n + (1 - z) * h")), gru.FORWARD),
    "the reset gate before the product": (
        own(("r * (b[2] + cell.bias_n)", "cell.weight_hh[200:] @ (r * h) + cell.bias_n")),
        gru.FORWARD,
    ),
    "the reset gate on a word's part, too": (own(("a[2] + r * (b[2] + cell.bias_n)", "r * (a[2] + b[2] + cell.bias_n)")), gru.FORWARD),
    "the state's bias outside of the reset gate": (own(("r * (b[2] + cell.bias_n)", "r * b[2] + cell.bias_n")), gru.FORWARD),
    "the state's bias left out, as in Flax's gates": (own((" + cell.bias_n", "")), gru.FORWARD),
    "words read from the last": ([("jax.vmap(self.embedding)(x))", "jax.vmap(self.embedding)(x), reverse=True)")], gru.FORWARD),
    "the first state read instead of the last": ([("last, _ = self.read(x)", "last = self.read(x)[1][0]")], gru.FORWARD),
    "softmax applied twice": ([("return self.dense(last)  #", "return jax.nn.softmax(self.dense(last))  #")], gru.FORWARD),
    "the sum of a batch's losses": ([("(jax.vmap(model)(x), y).mean()", "(jax.vmap(model)(x), y).sum()")], gru.FORWARD),
    "the accuracy of the first 100 samples": (
        [("(predict(model, x) == np.asarray(y))", "(predict(model, x[:100]) == np.asarray(y[:100]))")],
        gru.SHARE,
    ),
    "last partial batch dropped in predict": (
        [("range(0, len(x), BATCH_SIZE)", "range(0, len(x) // BATCH_SIZE * BATCH_SIZE, BATCH_SIZE)")],
        gru.SHORT_PREDICTION,
    ),
    "last partial batch dropped in training": (
        [("        losses.append(loss)\n", "        losses += [loss] if x.shape[0] == BATCH_SIZE else []\n")],
        gru.SHORT_TRAINING,
    ),
    "labels of a batch in another order": ([(STEP, STEP.replace("x, y)", "x, y[::-1])"))], gru.FIRST_LOSS),
    gru.LABELS: ([(TAKEN, "jnp.take(y, np.roll(i, 7), axis=0)")], gru.FIRST_LOSS),
    gru.HALF: ([("minibatches(x_train, y_train, order))", "list(minibatches(x_train, y_train, order))[::2])")], gru.STEPS),
    gru.THREE_POINTS: ([(APPENDED, APPENDED.replace("test_accuracy))", "test_accuracy + 0.03))"))], gru.COUNT),
    "the update lost": (
        [('@eqx.filter_jit(donate="all")', "@eqx.filter_jit"), (STEP, STEP.replace("model, opt_state, loss", "_, opt_state, loss"))],
        gru.SECOND_LOSS,
    ),
    "weight decay": ([(ADAM, "optax.adamw(LEARNING_RATE, weight_decay=0.01)")], gru.LATER + "|" + gru.CHANGE),
    "Adam's second momentum": ([(ADAM, "optax.adam(LEARNING_RATE, b2=0.99)")], gru.LATER + "|" + gru.CHANGE),
    "Adam's epsilon inside the root": ([(ADAM, "optax.adam(LEARNING_RATE, eps=0.0, eps_root=1e-16)")], gru.LATER + "|" + gru.CHANGE),
    "gradients clipped before the update": ([(ADAM, "optax.chain(optax.clip_by_global_norm(1e-3), optax.adam(LEARNING_RATE))")], gru.LATER + "|" + gru.CHANGE),
    "an update of the words that occur alone": ([(ADAM, "lazy(LEARNING_RATE)"), (LOSS, LAZY + LOSS)], gru.LATER),
}
