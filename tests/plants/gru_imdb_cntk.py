"""Mistakes for tests/plant.py to plant in notebooks/gru_imdb/cntk.ipynb. Plain Python 3.6."""

from tests.plants.gru_imdb import AT_END, CHANGE, CLASSES, FIRST_LOSS, GRADIENT, LOSS, SHIFTED, SWAP, WHOLE, define

LAZY = """
    table = [parameter for parameter in model.parameters if parameter.name == "E"][0]
    old = np.array(table.value)
    trainer.train_minibatch("""

LAZY_END = """
    new, absent = np.array(table.value), np.setdiff1d(np.arange(30000), x.astype(int))
    new[absent] = old[absent]
    table.value = new
    return trainer.previous"""

MERGED = """
    b_x, b_h = [tensors(model)[name] for name in ("gru.bias_ih", "gru.bias_hh")]
    added, rest = np.array(b_x.value), np.array(b_h.value)
    added[:200] += rest[:200]
    rest[:200] = 0
    b_x.value, b_h.value = added, rest
    return model


def read_weights"""

TRAIN, TEST, DATA = "data.x_train.astype", "data.x_test.astype", "data = imdb.load("
LOADED, READ, GRADIENTS = "flip(name, weights[name])", "flip(name, parameter.value)", "flip(name, sums[parts[name]])"
PARTS = "(W_r, W_z, W_n), (b_r, b_z, b_n) = split(W_h), split(b_h)"
RATES, BETAS, EPSILON = "model.parameters, rates,", "variance_momentum=betas,", "epsilon=1e-8"
STEP = "    trainer.train_minibatch("

PLANTS = {
    "gates r and z swapped, loading": (
        [define(SWAP, "def load_weights"), (LOADED, "flip(name, swap(weights[name]))")],
        GRADIENT,
    ),
    "gates r and z swapped, loading and reading": (
        [
            define(SWAP, "def load_weights"),
            (LOADED, "flip(name, swap(weights[name]))"),
            (READ, "swap(flip(name, parameter.value))"),
            (GRADIENTS, "swap(flip(name, sums[parts[name]]))"),
        ],
        GRADIENT,
    ),
    "reset gate before the product": (
        [("r * (C.times(h, W_n) + b_n) + x_n", "C.times(r * h, W_n) + b_n + x_n")],
        GRADIENT,
    ),
    "update gate mixes the other way": ([("return n + z * (h - n)", "return h + z * (n - h)")], GRADIENT),
    "Adam's epsilon inside the bias correction": (
        [(RATES, "model.parameters, learning_rate,"), (BETAS, "variance_momentum=0.999,")],
        LOSS,
    ),
    "Adam's epsilon 1e-7": ([(EPSILON, "epsilon=1e-7")], LOSS),
    "CNTK's default variance momentum": ([(RATES, "model.parameters, learning_rate,"), (BETAS, "")], LOSS),
    "the schedules do not advance": ([(", is_sweep_end=True", "")], LOSS),
    "the schedules one step ahead": ([("np.arange(1, 20001)", "np.arange(2, 20001)")], LOSS),
    "Adam without unit gain": ([(EPSILON, "unit_gain=False, epsilon=1e-8")], LOSS + " 1"),
    "Adamax": ([(EPSILON, "adamax=True, epsilon=1e-8")], LOSS),
    "gradients summed, rate for 64 reviews": ([("minibatch_size=C.learners.IGNORE", "minibatch_size=BATCH_SIZE")], LOSS),
    "weight decay": ([(EPSILON, "epsilon=1e-8, l2_regularization_weight=1e-6")], CHANGE),
    "lazy Adam": (
        [(STEP, LAZY.lstrip("\n")), ("    return trainer.previous", LAZY_END.lstrip("\n"))],
        LOSS,
    ),
    "a new learner for every epoch": (
        [("    batches = [order", "    trainer = make_optimizer(model)\n    batches = [order")],
        CHANGE,
    ),
    "the second bias not trained": (
        [("        model.parameters, rates", "        [p for p in model.parameters if p.name != 'b_h'], rates")],
        "two steps' change of gru.bias_hh",
    ),
    "the two biases merged": (
        [
            ("    return model\n\n\ndef read_weights", MERGED.lstrip("\n")),
            (PARTS, PARTS + "\n    b_r, b_z = C.stop_gradient(b_r), C.stop_gradient(b_z)"),
        ],
        LOSS,
    ),
    "time axis reversed": (
        [
            ("Recurrence(gru(125, 100))", "Recurrence(gru(125, 100), go_backwards=True)"),
            ("C.sequence.last(states) if", "C.sequence.first(states) if"),
        ],
        GRADIENT,
    ),
    "the first state read instead of the last": (
        [("C.sequence.last(states) if", "C.sequence.first(states) if")],
        GRADIENT,
    ),
    "padding left out, as a mask does": (
        [('{"x": x, "y"', '{"x": [tokens[tokens > 0] for tokens in x], "y"')],
        LOSS,
    ),
    "softmax applied twice": ([("z = model(x)", "z = C.softmax(model(x))")], GRADIENT),
    "gradients summed in the proof": ([(" / len(first) for name", " for name")], GRADIENT),
    "padding at the end": (
        [define(AT_END, DATA), (TRAIN, "at_end(data.x_train).astype"), (TEST, "at_end(data.x_test).astype")],
        FIRST_LOSS,
    ),
    "padding at the end of the test reviews": (
        [define(AT_END, DATA), (TEST, "at_end(data.x_test).astype")],
        CLASSES,
    ),
    "reviews shifted by one word": (
        [define(SHIFTED, DATA), (TRAIN, "shifted(data.x_train).astype"), (TEST, "shifted(data.x_test).astype")],
        FIRST_LOSS,
    ),
    "one review shifted by one word": (
        [define(SHIFTED, DATA), (TRAIN, "shifted(data.x_train, 5).astype")],
        FIRST_LOSS,
    ),
    "test reviews shifted by one word": (
        [define(SHIFTED, DATA), (TEST, "shifted(data.x_test).astype")],
        CLASSES,
    ),
    "last partial batch dropped in training": (
        [("y[i]) for i in batches]", "y[i]) for i in batches if len(i) == BATCH_SIZE]")],
        "20 losses were handed in, the reference has 21",
    ),
    "last partial batch dropped in predict and evaluate": (
        [
            ("for batch in batches]", "for batch in batches if len(batch) == BATCH_SIZE]"),
            ("(model, x) == y)", "(model, x) == y" + WHOLE + ")"),
        ],
        "128 classes were predicted for 150 samples",
    ),
    "last partial batch dropped in evaluate": (
        [("(predict(model, x) == y)", "(predict(model, x) == y)" + WHOLE)],
        r"0 of 150 classes differ; accuracy 0\.\d+, reference 0\.\d+",
    ),
    "labels not indexed by the order": ([("y[i])", "y[: len(i)])")], LOSS),
    "labels of a batch in another order": ([("y[i])", "y[np.sort(i)])")], LOSS),
    "labels of the timed loop in another order": (
        [("trainer, x_train, y_train, order", "trainer, x_train, y_train[::-1], order")],
        "y_train",
    ),
}
