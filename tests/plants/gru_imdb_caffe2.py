"""Mistakes for tests/plant.py to plant in the lesson notebooks/gru_imdb/caffe2.ipynb: see tests/plants/gru_imdb.py."""

from tests.plants import gru_imdb as gru

ADAM = "optimizer = build_adam(train_model, LEARNING_RATE)"
LOSS = 'net.SoftmaxWithLoss(["dense", "label"], ["softmax", "loss"])'
RUN = "    workspace.RunNet(train_model.net)\n"
FED = 'workspace.FeedBlob("tokens", x.T.ravel())'
SHAPE = "shape=[150, -1, 125]"
MOVED = gru.LATER + "|" + gru.CHANGE
DECAY = '__import__("caffe2.python.optimizer", fromlist=["add_weight_decay"]).add_weight_decay(train_model, 1e-4)\n'

PLANTS = {
    **gru.SHARED,
    **gru.averaged(),
    **gru.own_run("minibatches(x_train, y_train)"),
    **gru.counted("(predict(x) == y).mean()", "for start in range(0, len(x), BATCH_SIZE):\n        feed"),
    "a first state of ones": ([('workspace.FeedBlob("start", np.zeros(100', 'workspace.FeedBlob("start", np.ones(100')], gru.FORWARD),
    "a state carried over between batches": (
        [(RUN, RUN + '    workspace.FeedBlob("start", workspace.FetchBlob("state")[-1].copy())\n')],
        gru.FORWARD,
    ),
    "a first token dropped": ([(FED, FED.replace("x.T", "x.T[1:]")), (SHAPE, SHAPE.replace("150", "149"))], gru.FORWARD),
    "a first token dropped in evaluation": (
        [("feed_reviews(x[start : start + BATCH_SIZE])", "feed_reviews(np.where(np.arange(150) > 0, x[start : start + BATCH_SIZE], 0))")],
        gru.AFTER,
    ),
    "the reset gate before the product": ([("linear_before_reset=True, ", "")], gru.GRADIENT),
    "reviews and words mixed up": ([(FED, FED.replace("x.T", "x"))], gru.GRADIENT),
    "the loop goes backwards": ([(FED, FED.replace("x.T", "x.T[::-1]"))], gru.GRADIENT),
    "a second softmax": ([(LOSS, LOSS.replace('["dense"', '[train_model.net.Softmax("dense", "probabilities")'))], gru.FIRST_LOSS + "|" + gru.GRADIENT),
    "the loss times 2": ([(LOSS, LOSS[:-1] + ", scale=2.0)")], gru.GRADIENT),
    "last partial batch dropped in training": ([("for x, y in batches]", "for x, y in batches if len(x) == BATCH_SIZE]")], gru.SHORT_TRAINING),
    "labels of a batch in another order": ([('FeedBlob("label", y)', 'FeedBlob("label", y[::-1].copy())')], gru.FIRST_LOSS),
    "the weights filled anew in every step": ([(RUN, "    workspace.RunNetOnce(train_model.param_init_net)\n" + RUN)], MOVED),
    "weight decay": ([(ADAM, DECAY + ADAM)], "|".join([gru.GRADIENT, MOVED])),
    "Adam's second momentum": ([(ADAM, ADAM[:-1] + ", beta2=0.99)")], MOVED),
    "an update of the words that occur alone": ([(", dense_gradient=True", "")], gru.LATER),
}
