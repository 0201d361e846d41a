"""Mistakes for tests/plant.py to plant in the lesson notebooks/gru_imdb/mxnet_gluon.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import gru_imdb as gru

MODEL, MADE = "class ReviewClassifier(nn.HybridBlock):", "model = ReviewClassifier()"
GRU, WORDS = "states = self.gru(words)", "self.embedding(F.transpose(x))"
ADAM = '{"learning_rate": LEARNING_RATE}'
RUN = "train_epoch(model, trainer, batches)\n    train_accuracy"
SHAPE = "F.slice_axis(F.slice_axis(words, axis=0, begin=0, end=1), axis=2, begin=0, end=100)"
CARRIED = """class Carried(ReviewClassifier):
    kept = nd.zeros((1, 64, 100))

    def __call__(self, x):
        states, (last,) = self.gru(self.embedding(x.T), [self.kept[:, : len(x)]])
        self.kept = nd.concat(last.detach(), self.kept[:, len(x) :], dim=1) if len(x) < 64 else last.detach()
        return self.dense(states[-1])


model = Carried()"""
RESET_BEFORE = """class ResetBefore(rnn.GRU):
    def hybrid_forward(self, F, words, states, l0_i2h_weight, l0_h2h_weight, l0_i2h_bias, l0_h2h_bias):
        a = F.FullyConnected(words, l0_i2h_weight, l0_i2h_bias, num_hidden=300, flatten=False)
        a = F.split(a, axis=0, num_outputs=150, squeeze_axis=True)
        w, b = [F.split(p, axis=0, num_outputs=3) for p in (l0_h2h_weight, l0_h2h_bias)]
        h = F.zeros_like(F.slice_axis(a[0], axis=1, begin=0, end=100))
        for t in range(150):
            x = F.split(a[t], axis=1, num_outputs=3)
            r = F.sigmoid(x[0] + F.FullyConnected(h, w[0], b[0], num_hidden=100))
            z = F.sigmoid(x[1] + F.FullyConnected(h, w[1], b[1], num_hidden=100))
            n = F.tanh(x[2] + F.FullyConnected(r * h, w[2], b[2], num_hidden=100))
            h = n + z * (h - n)
        return F.expand_dims(h, axis=0)


"""
MASK = 'F.broadcast_mul({}, F.expand_dims(F.cast(F.transpose(x) != 0, dtype="float32"), axis=2))'


def adam(more, expected=gru.LATER + "|" + gru.CHANGE):
    """A plant of another setting of Adam's."""
    return [(ADAM, ADAM[:-1] + ", " + more + "}")], expected


PLANTS = {
    **gru.SHARED,
    **gru.averaged(),
    gru.HALF: ([(RUN, RUN.replace("batches)", "list(batches)[::2])"))], gru.STEPS),
    gru.LABELS: (
        [
            (
                "ArrayDataset(x_train, y_train)",
                "ArrayDataset(x_train, nd.array(np.roll(y_train.asnumpy(), 7), dtype='int32'))",
            )
        ],
        gru.LEARNED,
    ),
    gru.THREE_POINTS: ([("train_accuracy, test_accuracy))", "train_accuracy, test_accuracy + 0.03))")], gru.COUNT),
    "the accuracy of the first 100 samples": (
        [
            (
                "accuracy.update(labels=y, preds=predict(model, x))",
                "accuracy.update(labels=y[:100], preds=predict(model, x[:100]))",
            )
        ],
        gru.SHARE,
    ),
    "last partial batch dropped in predict": (
        [("starts = range(0, len(x), BATCH_SIZE)", "starts = range(0, len(x) // BATCH_SIZE * BATCH_SIZE, BATCH_SIZE)")],
        gru.SHORT_PREDICTION,
    ),
    "last partial batch dropped in training": (
        [("    for x, y in batches:\n", "    for x, y in batches:\n        if len(x) < BATCH_SIZE:\n            continue\n")],
        gru.SHORT_TRAINING,
    ),
    "labels of a batch in another order": ([("loss_fn(model(x), y)", "loss_fn(model(x), y[::-1])")], gru.FIRST_LOSS),
    "a first state of ones": (
        [(GRU, "states, _ = self.gru(words, [F.ones_like({})])".format(SHAPE))],
        gru.FORWARD,
    ),
    "a state carried over between batches": ([(MADE, CARRIED)], gru.FORWARD),
    "a first token dropped": (
        [(WORDS, "self.embedding(F.slice_axis(F.transpose(x), axis=0, begin=1, end=None))")],
        gru.FORWARD,
    ),
    "the reset gate before the product": (
        [(MODEL, RESET_BEFORE + MODEL), ("rnn.GRU(100, input_size", "ResetBefore(100, input_size")],
        gru.GRADIENT,
    ),
    "reviews read from their ends": ([(WORDS, "self.embedding(F.reverse(F.transpose(x), axis=0))")], gru.GRADIENT),
    "the state after the first word": ([("begin=-1, end=None", "begin=0, end=1")], gru.GRADIENT),
    "the vectors of zeros set to 0": ([(WORDS, MASK.format(WORDS))], gru.GRADIENT),
    "words first, reviews second": (
        [
            (WORDS, "self.embedding(x)"),
            ("axis=0, begin=-1, end=None", "axis=1, begin=-1, end=None"),
            ("F.squeeze(last, axis=0)", "F.squeeze(last, axis=1)"),
        ],
        gru.GRADIENT,
    ),
    "a second softmax": ([("loss_fn(model(x), y)", "loss_fn(model(x).softmax(), y)")], gru.FIRST_LOSS),
    "an update divided by another number of samples": ([("trainer.step(len(x))", "trainer.step(BATCH_SIZE)")], gru.CHANGE),
    "gradients of a sum": ([("trainer.step(len(x))", "trainer.step(1)")], gru.LATER + "|" + gru.CHANGE),
    "gradients added up": (
        [("loss_fn.hybridize()", 'loss_fn.hybridize()\nmodel.collect_params().setattr("grad_req", "add")')],
        gru.LATER + "|" + gru.CHANGE,
    ),
    "weight decay": adam('"wd": 1e-4'),
    "Adam's second momentum": adam('"beta2": 0.99'),
    "Adam's epsilon": adam('"epsilon": 1e-7'),
    "gradients clipped": adam('"clip_gradient": 1e-3'),
    "an update of the words that occur alone": (
        [("nn.Embedding(30000, 125)", "nn.Embedding(30000, 125, sparse_grad=True)")],
        gru.LATER,
    ),
}
