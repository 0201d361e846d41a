"""Mistakes for tests/plant.py to plant in the lesson notebooks/gru_imdb/lasagne.ipynb: see tests/plants/gru_imdb.py."""

from tests.plants import gru_imdb as gru

GRU = "layers.GRULayer(net, 100, learn_init=False)"
UPDATES = "updates = lasagne.updates.adam(loss, params, LEARNING_RATE)"
MOVED = gru.LATER + "|" + gru.CHANGE


def layer(option):
    """The change that gives Lasagne's layer another option."""
    return [(GRU, GRU[:-1] + ", " + option + ")")]


PLANTS = {
    **gru.SHARED,
    **gru.averaged(),
    **gru.own_run("iterate_minibatches(x_train, y_train)"),
    **gru.counted("np.mean(predict(x) == y)", "for k in range(0, len(x), BATCH_SIZE)"),
    "a first state of ones": (layer("hid_init=lasagne.init.Constant(1)"), gru.FORWARD),
    "the first state trained": ([(", learn_init=False", "")], MOVED),
    "a state carried over between batches": (
        [(UPDATES, UPDATES + "\nupdates[gru.hid_init] = T.concatenate([layers.get_output(last)[-1:], gru.hid_init[:, 100:]], 1)")],
        gru.FORWARD,
    ),
    "a first token dropped": ([("input_var=tokens)", "input_var=tokens[:, 1:])")], gru.FORWARD),
    "a first token dropped in evaluation": ([("classify(batch) for", "classify(np.where(np.arange(150) > 0, batch, 0)) for")], gru.AFTER),
    "straight lines for the reset gate": (layer("resetgate=layers.Gate(W_cell=None, nonlinearity=T.nnet.hard_sigmoid)"), gru.GRADIENT),
    "the update gate's share turned around, as PyTorch's": (
        layer("updategate=layers.Gate(W_cell=None, nonlinearity=lambda a: T.nnet.sigmoid(-a))"),
        gru.GRADIENT,
    ),
    "the loop goes backwards": (layer("backwards=True"), gru.GRADIENT),
    "gradients cut off after five words": (layer("gradient_steps=5"), gru.GRADIENT),
    "zeros skipped": (
        layer('mask_input=layers.InputLayer((None, 150), input_var=T.cast(T.neq(tokens, 0), "float32"))'),
        gru.GRADIENT,
    ),
    "the state after the first word": ([("SliceLayer(gru, -1, axis=1)", "SliceLayer(gru, 0, axis=1)")], gru.GRADIENT),
    "a second softmax": ([("crossentropy(probabilities, labels)", "crossentropy(T.nnet.softmax(probabilities), labels)")], gru.FIRST_LOSS),
    "last partial batch dropped in training": ([("for x, y in batches])", "for x, y in batches if len(x) == BATCH_SIZE])")], gru.SHORT_TRAINING),
    "labels of a batch in another order": ([("train_step(x, y) for", "train_step(x, y[::-1]) for")], gru.FIRST_LOSS),
    "weight decay": ([(UPDATES, UPDATES.replace("(loss,", "(loss + 5e-5 * (params[0] ** 2).sum(),"))], MOVED),
    "Adam's second momentum": ([(UPDATES, UPDATES[:-1] + ", beta2=0.99)")], MOVED),
    "an update of the words that occur alone": (
        [(UPDATES, UPDATES + "\nseen = T.neq(abs(T.grad(loss, params[0])).sum(1, keepdims=True), 0)\nupdates[params[0]] = T.switch(seen, updates[params[0]], params[0])")],
        gru.LATER,
    ),
}
