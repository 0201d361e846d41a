"""Mistakes for tests/plant.py to plant in notebooks/gru_imdb/jax.ipynb.

Each name maps to the replacements in the text of the code cells and to a regular expression, which the answer of the
proof, or of the test of cells where the mistake is in the run cell, must match.
"""

from tests.plants.gru_imdb import AT_END, CLASSES, FIRST_LOSS, LOSS, SHIFTED, SWAP, define

GRADIENT = "gradient of .*: off by"
CHANGE = "two steps' change of {}"


MERGED = """
def merged(weights):
    weights = {name: w.copy() for name, w in weights.items()}
    weights["gru.bias_ih"][:200] += weights["gru.bias_hh"][:200]
    weights["gru.bias_hh"][:200] = 0
    return weights
"""

RESET_BEFORE = """
class ResetBefore(nnx.GRUCell):
    def __call__(self, h, x):
        a, w, b = self.dense_i(x), self.dense_h.kernel[...], self.dense_h.bias[...]
        r, z = jnp.split(nnx.sigmoid(a[:, :200] + h @ w[:, :200] + b[:200]), 2, axis=1)
        n = nnx.tanh(a[:, 200:] + (r * h) @ w[:, 200:] + b[200:])
        h = n + z * (h - n)
        return h, h
"""

MASKED = """
class Masked(nnx.GRUCell):
    def __call__(self, h, x):
        new, _ = super().__call__(h, x[:, :125])
        new = jnp.where(x[:, 125:] == 0, h, new)
        return new, new
"""

LAZY = """
    before = model.embedding.embedding[...]
    optimizer.update(model, gradients)
    touched = jnp.any(gradients.embedding.embedding[...] != 0, axis=1, keepdims=True)
    model.embedding.embedding[...] = jnp.where(touched, model.embedding.embedding[...], before)
"""


TRAIN, TEST = "to_device(data.x_train,", "to_device(data.x_test,"
MODEL, DATA, LOAD = "class ReviewClassifier", "def to_device", "def load_weights"
CELL, RNN, EMBEDDED = "cell = nnx.GRUCell(", "nnx.RNN(make_cell(rngs), ", "self.embedding(x)"
LOADED, READ = "transposed(name, weights[name])", "transposed(name, np.array(p[...]))"
ADAM, EPSILON = "optax.adam(learning_rate, eps=1e-8)", "eps=1e-8"
UPDATE = "    optimizer.update(model, gradients)"
LABELS = "jnp.take(y, i, axis=0)"
WHOLE = "len(x) // BATCH_SIZE * BATCH_SIZE"
SCAN = ('FORM = "layer" ', 'FORM = "scan" ')


def _changed(tensor, expression):
    """The replacement that hands the optimizer ``expression`` for the gradient g of ``tensor``, [layer, parameter]."""
    code = "    def changed(path, g):\n"
    code += "        path = jax.tree_util.keystr(path)\n"
    code += "        return {} if {} else g\n\n".format(
        expression, " and ".join("{!r} in path".format(word) for word in tensor)
    )
    code += "    gradients = jax.tree_util.tree_map_with_path(changed, gradients)\n"
    return UPDATE, code + UPDATE


PLANTS = {
    "gates r and z swapped, loading": (
        [define(SWAP, LOAD), (LOADED, "transposed(name, swap(weights[name]))")],
        GRADIENT,
    ),
    "gates r and z swapped, loading and reading": (
        [define(SWAP, LOAD), (LOADED, "transposed(name, swap(weights[name]))"), (READ, "swap(%s)" % READ)],
        GRADIENT,
    ),
    "the two biases swapped": (
        [('"gru.bias_ih": cell.dense_i.bias, "gru.bias_hh"', '"gru.bias_hh": cell.dense_i.bias, "gru.bias_ih"')],
        GRADIENT,
    ),
    "reset gate before the product": ([define(RESET_BEFORE, MODEL), (CELL, "cell = ResetBefore(")], GRADIENT),
    "Adam's epsilon inside the bias correction": (
        [
            (
                ADAM,
                "optax.inject_hyperparams(optax.adam)("
                "learning_rate=learning_rate, eps=lambda t: 1e-8 / jnp.sqrt(1 - 0.999 ** (t + 1)))",
            )
        ],
        LOSS,
    ),
    "Adam's epsilon inside the root": ([(EPSILON, "eps=0.0, eps_root=1e-8")], LOSS),
    "Adam's epsilon 1e-7": ([(EPSILON, "eps=1e-7")], LOSS),
    "the bias correction one step ahead": (
        [
            ("return nnx.Optimizer(model, ", "optimizer = nnx.Optimizer(model, "),
            ("wrt=nnx.Param)", "wrt=nnx.Param)\n    optimizer.opt_state[0].count[...] += 1\n    return optimizer"),
        ],
        LOSS,
    ),
    "Nesterov's Adam": ([(EPSILON, EPSILON + ", nesterov=True")], LOSS),
    "lazy Adam": ([(UPDATE, LAZY.strip("\n"))], LOSS),
    "weight decay": ([(ADAM, "optax.adamw(learning_rate, eps=1e-8, weight_decay=0.01)")], CHANGE.format(".*")),
    "weight decay in the gradients": (
        [(ADAM, "optax.chain(optax.add_decayed_weights(1e-6), %s)" % ADAM)],
        CHANGE.format(".*"),
    ),
    "gradients clipped": ([(ADAM, "optax.chain(optax.clip_by_global_norm(1e-3), %s)" % ADAM)], LOSS),
    "the second bias not trained": ([_changed(["dense_h", "bias"], "0 * g")], CHANGE.format("gru.bias_hh")),
    "padding not trained": ([_changed(["embedding"], "g.at[0].set(0)")], CHANGE.format("embedding")),
    "the two biases merged": (
        [
            define(MERGED, LOAD),
            (LOADED, "transposed(name, merged(weights)[name])"),
            _changed(["dense_h", "bias"], "g.at[:200].set(0)"),
        ],
        LOSS,
    ),
    "time axis reversed": ([(EMBEDDED, "self.embedding(x[:, ::-1])")], GRADIENT),
    "the loop runs backwards": ([(RNN, RNN + "reverse=True, ")], GRADIENT),
    "a mask applied": (
        [
            define(MASKED, MODEL),
            (CELL, "cell = Masked("),
            (EMBEDDED, "jnp.concatenate([%s, 1.0 * x[..., None]], axis=2)" % EMBEDDED),
        ],
        FIRST_LOSS,
    ),
    "lengths as for padding at the end": (
        [("initial_carry=state)", "initial_carry=state, seq_lengths=(x > 0).sum(1))")],
        GRADIENT,
    ),
    "the first state read instead of the last": (
        [("last, _ = self.read(x)", "last = self.read(x)[1][:, 0]")],
        GRADIENT,
    ),
    "softmax applied twice": ([("return self.dense(last)  #", "return nnx.softmax(self.dense(last))  #")], GRADIENT),
    "the sum of a batch's losses": ([("(model(x), y).mean()", "(model(x), y).sum()")], GRADIENT),
    "own loop: gates r and z swapped": ([SCAN, ("r, z = jnp.split(", "z, r = jnp.split(")], GRADIENT),
    "own loop: the update gate the other way round": ([SCAN, ("h = n + z * (h - n)", "h = h + z * (n - h)")], GRADIENT),
    "own loop: reset gate before the product": (
        [
            SCAN,
            (
                "nnx.tanh(a[:, 200:] + r * b[:, 200:])",
                "nnx.tanh(a[:, 200:] + (r * h) @ cell.dense_h.kernel[:, 200:] + cell.dense_h.bias[200:])",
            ),
        ],
        GRADIENT,
    ),
    "own loop: backwards": ([SCAN, ("scan(step, state, inputs)", "scan(step, state, inputs, reverse=True)")], GRADIENT),
    "own loop: axes reshaped instead of swapped": (
        [SCAN, ("words.swapaxes(0, 1)", "words.reshape(150, len(words), 125)")],
        GRADIENT,
    ),
    "padding at the end": (
        [define(AT_END, DATA), (TRAIN, "to_device(at_end(data.x_train),"), (TEST, "to_device(at_end(data.x_test),")],
        FIRST_LOSS,
    ),
    "padding at the end of the test reviews": (
        [define(AT_END, DATA), (TEST, "to_device(at_end(data.x_test),")],
        CLASSES,
    ),
    "reviews shifted by one word": (
        [define(SHIFTED, DATA), (TRAIN, "to_device(shifted(data.x_train),"), (TEST, "to_device(shifted(data.x_test),")],
        FIRST_LOSS,
    ),
    "one review shifted by one word": (
        [define(SHIFTED, DATA), (TRAIN, "to_device(shifted(data.x_train, 5),")],
        FIRST_LOSS,
    ),
    "test reviews shifted by one word": ([define(SHIFTED, DATA), (TEST, "to_device(shifted(data.x_test),")], CLASSES),
    "last partial batch dropped in training": (
        [("in range(0, len(order), BATCH_SIZE):", "in range(0, len(order) - BATCH_SIZE + 1, BATCH_SIZE):")],
        "20 losses were handed in, the reference has 21",
    ),
    "last partial batch dropped in predict and evaluate": (
        [
            ("starts = range(0, len(x), BATCH_SIZE)", "starts = range(0, %s, BATCH_SIZE)" % WHOLE),
            ("(model, x) == np.asarray(y))", "(model, x) == np.asarray(y[: %s]))" % WHOLE),
        ],
        "128 classes were predicted for 150 samples",
    ),
    "last partial batch dropped in evaluate": (
        [("(predict(model, x) == np.asarray(y))", "(predict(model, x) == np.asarray(y))[: %s]" % WHOLE)],
        r"0 of 150 classes differ; accuracy 0\.\d+, reference 0\.\d+",
    ),
    "labels not indexed by the order": ([(LABELS, "y[: len(i)]")], LOSS),
    "labels of a batch in another order": ([(LABELS, "jnp.take(y, np.sort(i), axis=0)")], LOSS),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, order", "optimizer, x_train, y_train[::-1], order")],
        "y_train",
    ),
    "a step in jax.jit, which loses the update": (
        [
            ('@nnx.jit(donate_argnames=("model", "optimizer"))', "@jax.jit"),
            ("nnx.cached_partial(train_step, model, optimizer)", "lambda x, y: train_step(model, optimizer, x, y)"),
        ],
        LOSS + " 1",
    ),
}
