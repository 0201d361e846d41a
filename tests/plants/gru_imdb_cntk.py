"""Mistakes for tests/plant.py to plant in the lesson notebooks/gru_imdb/cntk.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import gru_imdb as gru

ADAM = "momentum=0.9, variance_momentum=0.999, minibatch_size=C.learners.IGNORE,"
STEP = "    return trainer.previous_minibatch_loss_average"
TRAINED = "    trainer.train_minibatch({tokens: x,"
RECURRENCE = "C.layers.Recurrence(gru(125, 100))"
LAZY = """    old = np.array(table.value)
    trainer.train_minibatch({tokens: x,"""
LAZY_END = """    new, absent = np.array(table.value), np.setdiff1d(np.arange(30000), x.astype(int))
    new[absent] = old[absent]
    table.value = new
    return trainer.previous_minibatch_loss_average"""


def adam(change, expected=gru.LATER + "|" + gru.CHANGE):
    """A plant of another Adam."""
    return [(ADAM, change)], expected


PLANTS = {
    **gru.SHARED,
    **gru.averaged(),
    **gru.own_run("minibatches(x_train, y_train)"),
    **gru.counted("(predict(model, x) == y).mean()", "for k in range(0, len(x), BATCH_SIZE)"),
    "last partial batch dropped in training": (
        [("for x, y in batches]", "for x, y in batches if len(x) == BATCH_SIZE]")],
        gru.SHORT_TRAINING,
    ),
    "labels of a batch in another order": ([("C.Value.one_hot(y, 2)", "C.Value.one_hot(y[::-1], 2)")], gru.FIRST_LOSS),
    "a first state of ones": ([(RECURRENCE, RECURRENCE[:-1] + ", initial_state=1)")], gru.FORWARD),
    "a state carried over between batches": (
        [
            ("states = " + RECURRENCE, 'kept = C.Parameter(100, init=0, name="kept")\nstates = ' + RECURRENCE),
            (RECURRENCE, RECURRENCE[:-1] + ", initial_state=kept)"),
            (STEP, "    kept.value = C.sequence.last(states).eval({tokens: x})[-1]\n" + STEP),
        ],
        gru.LATER,
    ),
    "a first token dropped": ([("C.gather(table, tokens)", "C.gather(table, C.sequence.slice(tokens, 1, 0))")], gru.FORWARD),
    "the reset gate before the product": ([("r * (C.times(h, U_n) + c_n)", "C.times(r * h, U_n) + c_n")], gru.GRADIENT),
    "the update gate turned round": ([("return n + z * (h - n)", "return h + z * (n - h)")], gru.GRADIENT),
    "the gates r and z exchanged": ([("x_r, x_z, x_n = split(", "x_z, x_r, x_n = split(")], gru.GRADIENT),
    "reviews read from their ends": (
        [
            (RECURRENCE, RECURRENCE[:-1] + ", go_backwards=True)"),
            ("C.sequence.last(states))", "C.sequence.first(states))"),
        ],
        gru.GRADIENT,
    ),
    "the state after the first word": ([("C.sequence.last(states))", "C.sequence.first(states))")], gru.GRADIENT),
    "zeros skipped": ([(TRAINED, TRAINED[:-2] + "[t[t > 0] for t in x],")], gru.LATER),
    "a second softmax": ([("with_softmax(model, labels)", "with_softmax(C.softmax(model), labels)")], gru.GRADIENT),
    "weight decay": adam(ADAM + " l2_regularization_weight=1e-4,"),
    "Adam's second momentum": adam(ADAM.replace("0.999", "0.99")),
    "Adam's momentum": adam(ADAM.replace("momentum=0.9,", "momentum=0.8,", 1)),
    "Adam's epsilon": adam(ADAM + " epsilon=1e-7,"),
    "Adam without unit gain": adam(ADAM + " unit_gain=False,"),
    "Adamax": adam(ADAM + " adamax=True,"),
    "a rate that is divided by the mini-batch": adam(ADAM.replace(" minibatch_size=C.learners.IGNORE,", "")),
    "a rate for 64 reviews": adam(ADAM.replace("C.learners.IGNORE", "BATCH_SIZE")),
    "gradients clipped": adam(ADAM + " gradient_clipping_threshold_per_sample=1e-5,"),
    "an update of the words that occur alone": ([(TRAINED, LAZY), (STEP, LAZY_END)], gru.LATER),
    "a bias that does not move": (
        [("model.parameters, LEARNING_RATE", '[p for p in model.parameters if p.name != "bias_hh"], LEARNING_RATE')],
        gru.CHANGE,
    ),
}
