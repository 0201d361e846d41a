"""Mistakes for tests/plant.py to plant in notebooks/gru_imdb/mxnet_module.ipynb: see gru_imdb_pytorch.py."""

from tests.plants.gru_imdb import AT_END, CHANGE, CLASSES, FIRST_LOSS, GRADIENT, LOSS, SHIFTED, SWAP, define

SHORT_EVALUATION = r"0 of 150 classes differ; accuracy 0\.\d+, reference 0\.\d+"


UNROLLED = """
def unrolled(words, tokens):
    vector = mx.sym.Variable("gru_parameters", shape=(68100,), init=mx.init.Uniform())

    def part(begin, *shape):
        size = shape[0] * (shape[1] if len(shape) == 2 else 1)
        return mx.sym.reshape(mx.sym.slice_axis(vector, axis=0, begin=begin, end=begin + size), shape=shape)

    w, b = [part(37500 + 10000 * k, 100, 100) for k in range(3)], [part(67800 + 100 * k, 100) for k in range(3)]
    a = mx.sym.FullyConnected(words, part(0, 300, 125), part(67500, 300), num_hidden=300, flatten=False)
    a = mx.sym.split(a, axis=0, num_outputs=150, squeeze_axis=True)
    tokens = mx.sym.split(tokens, axis=0, num_outputs=150, squeeze_axis=True)
    h = mx.sym.zeros_like(mx.sym.slice_axis(a[0], axis=1, begin=0, end=100))
    for t in range(150):
        x = mx.sym.split(a[t], axis=1, num_outputs=3)
        r = mx.sym.sigmoid(x[0] + mx.sym.FullyConnected(h, w[0], b[0], num_hidden=100))
        z = mx.sym.sigmoid(x[1] + mx.sym.FullyConnected(h, w[1], b[1], num_hidden=100))
        n = mx.sym.tanh(x[2] + {})
        h = {}
    return mx.sym.expand_dims(h, axis=0), []
"""
RESET_BEFORE = UNROLLED.format("mx.sym.FullyConnected(r * h, w[2], b[2], num_hidden=100)", "n + z * (h - n)")
MASKED = UNROLLED.format(
    "r * mx.sym.FullyConnected(h, w[2], b[2], num_hidden=100)", "mx.sym.where(tokens[t], n + z * (h - n), h)"
)

LAZY = """
@mx.optimizer.register
class LazyAdam(CorrectedAdam):
    def update(self, index, weight, grad, state):
        old = weight.copy()
        super().update(index, weight, grad, state)
        if len(weight) == 30000:
            absent = (grad.abs().sum(axis=1, keepdims=True) == 0).astype("float32")
            weight[:] = mx.nd.broadcast_mul(absent, old) + mx.nd.broadcast_mul(1 - absent, weight)
"""


MERGED = """    vector[67500:67700] += vector[67800:68000]
    vector[67800:68000] = 0
"""

TRAIN, TEST = "to_device(data.x_train)", "to_device(data.x_test)"
DATA, MODEL, LOAD, OPTIMIZER = "def to_device", "def make_network", "def load_weights", "def make_optimizer"
X = 'mx.sym.transpose(mx.sym.Variable("data"))'
WORDS = 'words = mx.sym.Embedding(x, name="embedding", input_dim=30000, output_dim=125)'
MASK = "\n    words = mx.sym.broadcast_mul(words, mx.sym.expand_dims(x != 0, axis=2))"
UNROLL = 'cell.unroll(150, words, layout="TNC", merge_outputs=True)'
NAME, UPDATE = 'optimizer="correctedadam"', "        super().update(index"
OPTIONS = '"learning_rate": learning_rate, "rescale_grad": 1'
VECTOR = "    vector = np.concatenate([weights[name].ravel() for name in FUSED])\n"
LAST = "mx.sym.squeeze(last, axis=0)"
WHOLE = "[:len(x) // BATCH_SIZE * BATCH_SIZE]"
RIGHT, RIGHT_OF_WHOLE = "(predict(model, x) == y)", "(predict(model, x){0} == y{0})".format(WHOLE)
COUNT = "(predict(model, x) == y).sum().asscalar() / len(y)"
SCORE = 'model.score(mx.io.NDArrayIter(x, y, BATCH_SIZE), mx.metric.Accuracy(output_names=["softmax_output"]))[0][1]'

PLANTS = {
    "gates r and z swapped, loading": (
        [define(SWAP, LOAD), ("weights[name].ravel()", "swap(weights[name]).ravel()")],
        GRADIENT,
    ),
    "gates r and z swapped, loading and reading": (
        [
            define(SWAP, LOAD),
            ("weights[name].ravel()", "swap(weights[name]).ravel()"),
            ("part.reshape(FUSED[name])", "swap(part.reshape(FUSED[name]))"),
        ],
        GRADIENT,
    ),
    "the two biases exchanged": (
        [
            (
                '    "gru.bias_ih": (300,), "gru.bias_hh": (300,),\n',
                '    "gru.bias_hh": (300,), "gru.bias_ih": (300,),\n',
            )
        ],
        GRADIENT,
    ),
    "reset gate before the product": (
        [define(RESET_BEFORE, MODEL), (UNROLL, "unrolled(words, x)")],
        GRADIENT,
    ),
    "time axis reversed": ([(X, "mx.sym.reverse({}, axis=0)".format(X))], GRADIENT),
    "the first state read instead of the last": ([("begin=-1, end=None", "begin=0, end=1")], GRADIENT),
    "a mask applied": ([define(MASKED, MODEL), (UNROLL, "unrolled(words, x)")], FIRST_LOSS),
    "padding's word vectors set to 0": ([(WORDS, WORDS + MASK)], FIRST_LOSS),
    "softmax applied twice": ([("SoftmaxOutput(logits, label", "SoftmaxOutput(mx.sym.softmax(logits), label")], GRADIENT),
    "the second output trained, too": ([("mx.sym.BlockGrad(value", "mx.sym.MakeLoss(value")], GRADIENT),
    "an activation too many": ([(LAST, 'mx.sym.Activation({}, act_type="tanh")'.format(LAST))], GRADIENT),
    "Adam's epsilon inside the bias correction": ([(" * (1 - self.beta2 ** step) ** 0.5", "")], LOSS),
    "MXNet's own Adam": ([(NAME, 'optimizer="adam"')], LOSS),
    "Adam's epsilon 1e-7": ([("1e-8 * (1", "1e-7 * (1")], LOSS),
    "Adam's steps counted from 2": ([(".get(index, 0) + 1", ".get(index, 0) + 2")], LOSS),
    "lazy Adam": ([define(LAZY, OPTIMIZER), (NAME, 'optimizer="lazyadam"')], LOSS),
    "weight decay": ([(OPTIONS, OPTIONS + ', "wd": 1e-6')], CHANGE),
    "gradients clipped": ([(OPTIONS, OPTIONS + ', "clip_gradient": 0.01')], LOSS),
    "the second bias not trained": (
        [(UPDATE, '        if self.idx2name[index] == "gru_parameters":\n            grad[67800:] = 0\n' + UPDATE)],
        "two steps' change of gru.bias_hh",
    ),
    "the two biases merged": (
        [
            (VECTOR, VECTOR + MERGED),
            (
                UPDATE,
                '        if self.idx2name[index] == "gru_parameters":\n            grad[67800:68000] = 0\n' + UPDATE,
            ),
        ],
        LOSS,
    ),
    "padding not trained": (
        [(UPDATE, "        if len(weight) == 30000:\n            grad[0] = 0\n" + UPDATE)],
        "two steps' change of embedding",
    ),
    "oneDNN's log_softmax": ([("(logits, temperature=1)", "(logits)")], LOSS),
    "gradients of a sum": ([(', normalization="batch"', "")], GRADIENT),
    "gradients divided twice": ([(OPTIONS, '"learning_rate": learning_rate')], LOSS),
    "gradients divided by the full batch": (
        [(', normalization="batch"', ""), (OPTIONS, '"learning_rate": learning_rate')],
        CHANGE,
    ),
    "padding at the end": (
        [define(AT_END, DATA), (TRAIN, "to_device(at_end(data.x_train))"), (TEST, "to_device(at_end(data.x_test))")],
        FIRST_LOSS,
    ),
    "padding at the end of the test reviews": (
        [define(AT_END, DATA), (TEST, "to_device(at_end(data.x_test))")],
        CLASSES,
    ),
    "reviews shifted by one word": (
        [
            define(SHIFTED, DATA),
            (TRAIN, "to_device(shifted(data.x_train))"),
            (TEST, "to_device(shifted(data.x_test))"),
        ],
        FIRST_LOSS,
    ),
    "one review shifted by one word": (
        [define(SHIFTED, DATA), (TRAIN, "to_device(shifted(data.x_train, 5))")],
        FIRST_LOSS,
    ),
    "test reviews shifted by one word": (
        [define(SHIFTED, DATA), (TEST, "to_device(shifted(data.x_test))")],
        CLASSES,
    ),
    "tokens rounded to half precision": (
        [(TRAIN, 'to_device(data.x_train.astype("float16"))')],
        FIRST_LOSS,
    ),
    "last partial batch dropped in training": (
        [
            (
                "for k in range(0, len(order), BATCH_SIZE)]",
                "for k in range(0, len(order) // BATCH_SIZE * BATCH_SIZE, BATCH_SIZE)]",
            )
        ],
        "20 losses were handed in, the reference has 21",
    ),
    "last partial batch dropped in predict and evaluate": (
        [("zeros, BATCH_SIZE)", 'zeros, BATCH_SIZE, last_batch_handle="discard")'), (RIGHT, RIGHT_OF_WHOLE)],
        "128 classes were predicted for 150 samples",
    ),
    "last partial batch dropped in evaluate": ([(RIGHT, RIGHT_OF_WHOLE)], SHORT_EVALUATION),
    "padded reviews counted in evaluate": ([(COUNT, SCORE)], SHORT_EVALUATION),
    "labels of a batch in another order": ([("y.take(i))", "y.take(i.sort()))")], LOSS),
    "labels not indexed by the order": ([("y.take(i))", "y[:len(i)])")], LOSS),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, to_device", "optimizer, x_train, y_train[::-1], to_device")],
        "y_train",
    ),
}
