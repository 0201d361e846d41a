"""Mistakes for tests/plant.py to plant in notebooks/gru_imdb/lasagne.ipynb. Plain Python 3.6."""

from tests.plants.gru_imdb import AT_END, CLASSES, FIRST_LOSS, GRADIENT, LOSS, SHIFTED, WHOLE, define

CHANGE = "two steps' change of"


SWAPPED = '["updategate", "resetgate", "hidden_update"]'

FROZEN = """
def frozen(gradients):
    return [T.set_subtensor(gradients[0][0], 0)] + gradients[1:]
"""


DATA, OPTIMIZER = "data = imdb.load(", "def make_optimizer"
REVIEWS = "x_train, x_test = data.x_train, data.x_test"
ADAM, COUNT = "lasagne.updates.adam(cost, params,", "updates[t] = t + 1"
STATE = "return h + u * (c - h)"
HIDDEN = "start = T.dot("

PLANTS = {
    "gates r and z swapped, loading and reading": (
        [("kind + gate for gate in GATES] for ours, kind", "kind + gate for gate in " + SWAPPED + "] for ours, kind")],
        GRADIENT,
    ),
    "gates r and z swapped, in the step": (
        [("r, u = gates[:, :n], gates[:, n:]", "u, r = gates[:, :n], gates[:, n:]")],
        GRADIENT,
    ),
    "the update gate's sign kept": ([("w = -w if", "w = w if")], GRADIENT),
    "the update gate weighs the old state": ([(STATE, "return c + u * (h - c)")], GRADIENT),
    "the gates' matrices not transposed": (
        [('w if name == "embedding.W" else w.T', 'w if name == "embedding.W" or "W_hid" in name else w.T')],
        GRADIENT,
    ),
    "reset gate before the product": (
        [("r * b[:, 2 * n :])", "T.dot(r * h, w_hid[:, 2 * n :]) + b_hid[2 * n :])")],
        GRADIENT,
    ),
    "one bias for each gate": ([("T.dot(h, w_hid) + b_hid", "T.dot(h, w_hid) + 0 * b_hid")], GRADIENT),
    "the two biases merged": (
        [
            ("T.dot(h, w_hid) + b_hid", "T.dot(h, w_hid) + T.set_subtensor(b_hid[:200], 0)"),
            (
                "    return model\n\n\ndef read_weights",
                "    for gate in GATES[:2]:\n"
                "        one, two = params['gru.b_' + gate], params['gru.b_hid_' + gate]\n"
                "        one.set_value(one.get_value() + two.get_value())\n"
                "    return model\n\n\ndef read_weights",
            ),
        ],
        LOSS,
    ),
    "the second bias not trained": (
        [(COUNT, COUNT + "\n        updates.update({p: p for p in params if 'b_hid' in p.name})")],
        CHANGE + " gru.bias_hh",
    ),
    "time axis reversed": (
        [("layers.get_output(model, tokens), labels", "layers.get_output(model, tokens[:, ::-1]), labels")],
        LOSS + " 0",
    ),
    "the loop goes backwards": ([("strict=True)", "strict=True, go_backwards=True)")], GRADIENT),
    "the first state read instead of the last": (
        [("SliceLayer(net, -1, axis=1)", "SliceLayer(net, 0, axis=1)")],
        GRADIENT,
    ),
    "the gradient goes back 5 words only": ([("strict=True)", "strict=True, truncate_gradient=5)")], GRADIENT),
    "padding masked": (
        [
            (
                HIDDEN,
                "mask = T.eq(words, self.input_layers[0].W[0]).all(axis=2, keepdims=True)\n"
                "        a = T.set_subtensor(a[:, :, n : 2 * n], T.switch(mask, -1e9, a[:, :, n : 2 * n]))\n"
                "        " + HIDDEN,
            )
        ],
        CHANGE + " embedding",
    ),
    "padding not trained": (
        [
            define(FROZEN, OPTIMIZER),
            (ADAM, ADAM.replace("cost", "frozen(T.grad(cost, params))", 1)),
        ],
        CHANGE + " embedding",
    ),
    "Lasagne's Adam, epsilon before the correction": ([(", epsilon=epsilon)", ")")], LOSS),
    "Adam's epsilon 1e-7": ([("1e-8 * T.sqrt", "1e-7 * T.sqrt")], LOSS),
    "lazy Adam": (
        [
            (
                COUNT,
                COUNT + "\n        w = params[0]  # of the embedding\n"
                "        seen = T.neq(abs(T.grad(cost, w)).sum(1, keepdims=True), 0)\n"
                "        updates[w] = T.switch(seen, updates[w], w)",
            )
        ],
        LOSS,
    ),
    "weight decay": (
        [(ADAM, ADAM.replace("cost", "[g + 1e-6 * p for g, p in zip(T.grad(cost, params), params)]", 1))],
        CHANGE,
    ),
    "the updates forgotten": ([(", updates=optimizer(cost))", ")")], LOSS + " 1"),
    "softmax left out": ([("2, nonlinearity=lasagne.nonlinearities.softmax, name", "2, name")], GRADIENT),
    "softmax applied twice": (
        [("crossentropy(probabilities, y)", "crossentropy(T.nnet.softmax(probabilities), y)")],
        GRADIENT,
    ),
    "the sum instead of the mean": ([("(probabilities, y).mean()", "(probabilities, y).sum()")], GRADIENT),
    "padding at the end": (
        [define(AT_END, DATA), (REVIEWS, "x_train, x_test = at_end(data.x_train), at_end(data.x_test)")],
        FIRST_LOSS,
    ),
    "padding at the end of the test reviews": (
        [define(AT_END, DATA), (REVIEWS, "x_train, x_test = data.x_train, at_end(data.x_test)")],
        CLASSES,
    ),
    "reviews shifted by one word": (
        [define(SHIFTED, DATA), (REVIEWS, "x_train, x_test = shifted(data.x_train), shifted(data.x_test)")],
        FIRST_LOSS,
    ),
    "one review shifted by one word": (
        [define(SHIFTED, DATA), (REVIEWS, "x_train, x_test = shifted(data.x_train, 5), data.x_test")],
        FIRST_LOSS,
    ),
    "test reviews shifted by one word": (
        [define(SHIFTED, DATA), (REVIEWS, "x_train, x_test = data.x_train, shifted(data.x_test)")],
        CLASSES,
    ),
    "last partial batch dropped in training": (
        [("y[i]) for i in batches]", "y[i]) for i in batches if len(i) == BATCH_SIZE]")],
        "20 losses were handed in, the reference has 21",
    ),
    "last partial batch dropped in predict and evaluate": (
        [
            ("[step(batch) for batch in batches]", "[step(batch) for batch in batches if len(batch) == BATCH_SIZE]"),
            ("np.mean(predict(model, x) == y)", "np.mean(predict(model, x) == y" + WHOLE + ")"),
        ],
        "128 classes were predicted for 150 samples",
    ),
    "last partial batch dropped in evaluate": (
        [("np.mean(predict(model, x) == y)", "np.mean((predict(model, x) == y)" + WHOLE + ")")],
        r"0 of 150 classes differ; accuracy 0\.\d+, reference 0\.\d+",
    ),
    "labels not indexed by the order": ([("x[i], y[i])", "x[i], y[: len(i)])")], LOSS + " 0"),
    "labels of a batch in another order": ([("x[i], y[i])", "x[i], y[np.sort(i)])")], LOSS + " 0"),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, order", "optimizer, x_train, y_train[::-1], order")],
        "y_train",
    ),
}
