"""Mistakes for tests/plant.py to plant in the lesson notebooks/gru_imdb/mxnet_module.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import gru_imdb as gru
from tests.plants.cnn_cifar10_mxnet_module import FIT

ADAM = '{"learning_rate": LEARNING_RATE, "rescale_grad": 1}'
MODULE = "model = mx.mod.Module(softmax, context=ctx)"
CELL = 'cell = mx.rnn.FusedRNNCell(100, mode="gru")'
UNROLL = 'cell.unroll(150, vectors, layout="TNC", merge_outputs=True)'
FIRST = "mx.sym.slice_axis(mx.sym.slice_axis(vectors, axis=0, begin=0, end=1), axis=2, begin=0, end=100)"
CARRIED = """kept = {}


class Keep(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0])
        kept["state"] = in_data[0].copy()

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0])


class First(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        state, size = mx.nd.zeros_like(in_data[0]), in_data[0].shape[1]
        if "state" in kept:
            known = kept["state"][:, :size]
            state[:, : known.shape[1]] = known
        self.assign(out_data[0], req[0], state)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], mx.nd.zeros_like(in_grad[0]))


@mx.operator.register("keep_state")
class KeepProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx, shapes, dtypes):
        return Keep()


@mx.operator.register("first_state")
class FirstProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx, shapes, dtypes):
        return First()


"""
RESET_BEFORE = """def reset_before(vectors):
    p = mx.sym.Variable("gru_parameters", shape=(300 * 225 + 600,))

    def part(first, rows, columns=None):
        end = first + rows * (columns or 1)
        found = mx.sym.slice_axis(p, axis=0, begin=first, end=end)
        return mx.sym.reshape(found, shape=(rows, columns)) if columns else found

    u = [part(37500 + 10000 * k, 100, 100) for k in range(3)]
    c = [part(67800 + 100 * k, 100) for k in range(3)]
    a = mx.sym.FullyConnected(vectors, part(0, 300, 125), part(67500, 300), num_hidden=300, flatten=False)
    a = mx.sym.split(a, axis=0, num_outputs=150, squeeze_axis=True)
    h = mx.sym.zeros_like(mx.sym.slice_axis(a[0], axis=1, begin=0, end=100))
    for t in range(150):
        x = mx.sym.split(a[t], axis=1, num_outputs=3)
        r = mx.sym.sigmoid(x[0] + mx.sym.FullyConnected(h, u[0], c[0], num_hidden=100))
        z = mx.sym.sigmoid(x[1] + mx.sym.FullyConnected(h, u[1], c[1], num_hidden=100))
        n = mx.sym.tanh(x[2] + mx.sym.FullyConnected(r * h, u[2], c[2], num_hidden=100))
        h = n + z * (h - n)
    return mx.sym.expand_dims(h, axis=0), None


"""


def adam(more, expected=gru.LATER + "|" + gru.CHANGE):
    """A plant of another setting of Adam's."""
    return [(ADAM, ADAM[:-1] + ", " + more + "}")], expected


PLANTS = {
    **gru.SHARED,
    "averaged weights in predict": ([(MODULE, MODULE + FIT), ("def evaluate(", gru.AVERAGED)], gru.AFTER),
    gru.LABELS: (
        [
            (
                "Minibatches(x_train, y_train, BATCH_SIZE, shuffle=True)",
                "Minibatches(x_train, mx.nd.array(np.roll(y_train.asnumpy(), 7)), BATCH_SIZE, shuffle=True)",
            )
        ],
        gru.LEARNED,
    ),
    gru.HALF: (
        [
            (
                "    Minibatches(x_train, y_train, BATCH_SIZE, shuffle=True),",
                "    Minibatches(x_train[:640], y_train[:640], BATCH_SIZE, shuffle=True),",
            )
        ],
        gru.STEPS,
    ),
    gru.THREE_POINTS: ([("train_accuracy, test_accuracy))", "train_accuracy, test_accuracy + 0.03))")], gru.COUNT),
    "the accuracy of the first 100 samples": (
        [("model.score(Minibatches(x, y, BATCH_SIZE)", "model.score(Minibatches(x[:100], y[:100], BATCH_SIZE)")],
        gru.SHARE,
    ),
    "last partial batch dropped in predict": (
        [
            ("labels = mx.nd.zeros(len(x))", "n = len(x) // BATCH_SIZE * BATCH_SIZE"),
            ("Minibatches(x, labels, BATCH_SIZE)", "Minibatches(x[:n], mx.nd.zeros(n), BATCH_SIZE)"),
        ],
        gru.SHORT_PREDICTION,
    ),
    "last partial batch filled up in training": ([("        if batch.pad:", "        if False:")], gru.LATER + "|losses; expected"),
    "labels of a batch in another order": (
        [("        return batch", "        batch.label = [array[::-1] for array in batch.label]\n        return batch")],
        gru.FIRST_LOSS,
    ),
    "a first state of ones": (
        [(UNROLL, UNROLL[:-1] + ", begin_state=[mx.sym.ones_like({})])".format(FIRST))],
        gru.FORWARD,
    ),
    "a state carried over between batches": (
        [
            (CELL, CARRIED + CELL),
            (UNROLL, UNROLL[:-1] + ', begin_state=[mx.sym.Custom({}, op_type="first_state")])'.format(FIRST)),
            ("mx.sym.squeeze(last, axis=0)", 'mx.sym.squeeze(mx.sym.Custom(last, op_type="keep_state"), axis=0)'),
        ],
        gru.FORWARD,
    ),
    "a first token dropped": (
        [("cell.unroll(150, vectors", "cell.unroll(149, mx.sym.slice_axis(vectors, axis=0, begin=1, end=None)")],
        gru.FORWARD,
    ),
    "the reset gate before the product": (
        [(CELL, RESET_BEFORE + CELL), (UNROLL, "reset_before(vectors)")],
        gru.GRADIENT,
    ),
    "reviews read from their ends": (
        [("cell.unroll(150, vectors", "cell.unroll(150, mx.sym.reverse(vectors, axis=0)")],
        gru.GRADIENT,
    ),
    "the state after the first word": ([("begin=-1, end=None", "begin=0, end=1")], gru.GRADIENT),
    "a second softmax": (
        [("mx.sym.SoftmaxOutput(logits,", "mx.sym.SoftmaxOutput(mx.sym.softmax(logits),")],
        gru.FIRST_LOSS,
    ),
    "gradients not divided by the batch": ([(', normalization="batch"', "")], gru.LATER + "|" + gru.CHANGE),
    "an update divided by the batch once more": ([(', "rescale_grad": 1}', "}")], gru.LATER + "|" + gru.CHANGE),
    "weight decay": adam('"wd": 1e-4'),
    "Adam's second momentum": adam('"beta2": 0.99'),
    "Adam's epsilon": adam('"epsilon": 1e-7'),
    "gradients clipped": adam('"clip_gradient": 1e-3'),
    "another update rule": ([('optimizer = "adam"', 'optimizer = "nadam"')], gru.LATER + "|" + gru.CHANGE),
}
