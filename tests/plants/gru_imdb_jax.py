"""Mistakes to plant in the lesson notebooks/gru_imdb/jax.ipynb: see tests/plants/gru_imdb.py."""

from tests.plants import gru_imdb as gru

READ = "return self.gru(self.embedding(x), initial_carry=jnp.zeros((len(x), 100)))"
CARRIED = """last, states = self.gru(self.embedding(x), initial_carry=self.kept[: len(x)])
        self.kept[...] = self.kept[...].at[: len(x)].set(last)
        return last, states"""
MADE = "self.dense = nnx.Linear(100, 2, rngs=rngs)"
KEPT = "self.kept = nnx.Variable(jnp.zeros((BATCH_SIZE, 100)))"
ADAM = "optax.adam(LEARNING_RATE)"
APPENDED = "history.append((losses, train_accuracy, test_accuracy))"
TAKEN = "jnp.take(y, i, axis=0)"
MODEL, CELL = "class ReviewClassifier(nnx.Module):", "nnx.GRUCell(125, 100, rngs=rngs)"
RESET_BEFORE = """
class ResetBefore(nnx.GRUCell):
    def __call__(self, h, x):
        a, w, b = self.dense_i(x), self.dense_h.kernel[...], 0 if self.dense_h.bias is None else self.dense_h.bias[...]
        b = jnp.broadcast_to(b, 300)
        r, z = jnp.split(nnx.sigmoid(a[:, :200] + h @ w[:, :200] + b[:200]), 2, axis=1)
        n = nnx.tanh(a[:, 200:] + (r * h) @ w[:, 200:] + b[200:])
        h = (1 - z) * n + z * h
        return h, h


"""
LAZY = """
def lazy(rate):  # only words that occur move
    adam = optax.adam(rate)

    def update(grads, state, params):
        updates, state = adam.update(grads, state, params)
        table = grads["embedding"]["embedding"]
        updates["embedding"]["embedding"] *= jnp.any(table != 0, axis=1, keepdims=True)
        return updates, state

    return optax.GradientTransformation(adam.init, update)


"""
LOSS = "def loss_fn("


def scan(*changes):
    """The changes of the GRU written in the lesson, which is chosen by the setting."""
    return [('FORM = "layer"', 'FORM = "scan"'), *changes]


PLANTS = {
    **gru.SHARED,
    **gru.averaged(),
    "a first state of ones": ([(READ, READ.replace("zeros", "ones"))], gru.FORWARD),
    "a state carried over between batches": ([(READ, CARRIED), (MADE, MADE + "\n        " + KEPT)], gru.FORWARD),
    "the first token dropped": ([(READ, READ.replace("(x)", "(x[:, 1:])", 1))], gru.FORWARD),
    "the reset gate before the product": ([(MODEL, RESET_BEFORE.lstrip("\n") + MODEL), (CELL, "ResetBefore(125, 100, rngs=rngs)")], gru.FORWARD),
    "words read from the last": ([("return_carry=True", "return_carry=True, reverse=True")], gru.FORWARD),
    "lengths as for padding at the end": ([("100)))\n", "100)), seq_lengths=(x > 0).sum(1))\n")], gru.FORWARD),
    "the first state read instead of the last": ([("last, _ = self.read(x)", "last = self.read(x)[1][:, 0]")], gru.FORWARD),
    "softmax applied twice": ([("return self.dense(last)  #", "return nnx.softmax(self.dense(last))  #")], gru.FORWARD),
    "the sum of a batch's losses": ([("(model(x), y).mean()", "(model(x), y).sum()")], gru.FORWARD),
    "own loop: gates r and z swapped": (scan(("r, z = nnx.sigmoid", "z, r = nnx.sigmoid")), gru.FORWARD),
    "own loop: the update gate the other way round": (scan(("h = (1 - z) * n + z * h", "h = z * n + (1 - z) * h")), gru.FORWARD),
    "own loop: r multiplies a word's part, too": (scan(("in_ + r * hn", "r * (in_ + hn)")), gru.FORWARD),
    "own loop: backwards": (scan(("initial_carry, of_words)", "initial_carry, of_words, reverse=True)")), gru.FORWARD),
    "own loop: axes reshaped instead of swapped": (scan((".swapaxes(0, 1)  #", ".reshape(150, len(words), 300)  #")), gru.FORWARD),
    "own loop: a first state of ones": (scan((READ, READ.replace("zeros", "ones"))), gru.FORWARD),
    "the accuracy of the first 100 samples": (
        [("(predict(model, x) == np.asarray(y))", "(predict(model, x[:100]) == np.asarray(y[:100]))")],
        gru.SHARE,
    ),
    "last partial batch dropped in predict": (
        [("range(0, len(x), BATCH_SIZE)", "range(0, len(x) // BATCH_SIZE * BATCH_SIZE, BATCH_SIZE)")],
        gru.SHORT_PREDICTION,
    ),
    "last partial batch dropped in training": ([("for x, y in batches]", "for x, y in batches if len(x) == BATCH_SIZE]")], gru.SHORT_TRAINING),
    "labels of a batch in another order": ([("train_step(model, optimizer, x, y) for", "train_step(model, optimizer, x, y[::-1]) for")], gru.FIRST_LOSS),
    gru.LABELS: ([(TAKEN, "jnp.take(y, np.roll(i, 7), axis=0)")], gru.FIRST_LOSS),
    gru.HALF: ([("minibatches(x_train, y_train, order))", "list(minibatches(x_train, y_train, order))[::2])")], gru.STEPS),
    gru.THREE_POINTS: ([(APPENDED, APPENDED.replace("test_accuracy))", "test_accuracy + 0.03))"))], gru.COUNT),
    "the update lost, as with jax.jit": ([('@nnx.jit(donate_argnames=("model", "optimizer"))', "@jax.jit")], gru.SECOND_LOSS),
    "weight decay": ([(ADAM, "optax.adamw(LEARNING_RATE, weight_decay=0.01)")], gru.LATER + "|" + gru.CHANGE),
    "Adam's second momentum": ([(ADAM, "optax.adam(LEARNING_RATE, b2=0.99)")], gru.LATER + "|" + gru.CHANGE),
    "Adam's epsilon inside the root": ([(ADAM, "optax.adam(LEARNING_RATE, eps=0.0, eps_root=1e-16)")], gru.LATER + "|" + gru.CHANGE),
    "gradients clipped before the update": ([(ADAM, "optax.chain(optax.clip_by_global_norm(1e-3), optax.adam(LEARNING_RATE))")], gru.LATER + "|" + gru.CHANGE),
    "an update of the words that occur alone": ([(ADAM, "lazy(LEARNING_RATE)"), (LOSS, LAZY.lstrip("\n") + LOSS)], gru.LATER),
}
