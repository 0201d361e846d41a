"""Mistakes for tests/plant.py to plant in notebooks/gru_imdb/mxnet_gluon.ipynb: see gru_imdb_pytorch.py."""

from tests.plants.gru_imdb import AT_END, CHANGE, CLASSES, FIRST_LOSS, GRADIENT, LOSS, SHIFTED, SWAP, define

UNROLLED = """
class Unrolled(rnn.GRU):
    def hybrid_forward(self, F, words, states, l0_i2h_weight, l0_h2h_weight, l0_i2h_bias, l0_h2h_bias):
        mask = F.split(F.slice_axis(words, axis=2, begin=-1, end=None), axis=0, num_outputs=150, squeeze_axis=True)
        words = F.slice_axis(words, axis=2, begin=0, end=125)
        a = F.FullyConnected(words, l0_i2h_weight, l0_i2h_bias, num_hidden=300, flatten=False)
        a = F.split(a, axis=0, num_outputs=150, squeeze_axis=True)
        w, b = [F.split(p, axis=0, num_outputs=3) for p in (l0_h2h_weight, l0_h2h_bias)]
        h = F.zeros_like(F.slice_axis(a[0], axis=1, begin=0, end=100))
        for t in range(150):
            x = F.split(a[t], axis=1, num_outputs=3)
            r = F.sigmoid(x[0] + F.FullyConnected(h, w[0], b[0], num_hidden=100))
            z = F.sigmoid(x[1] + F.FullyConnected(h, w[1], b[1], num_hidden=100))
            n = F.tanh(x[2] + {})
            h = {}
        return F.expand_dims(h, axis=0)
"""
RESET_BEFORE = UNROLLED.format("F.FullyConnected(r * h, w[2], b[2], num_hidden=100)", "n + z * (h - n)")
MASKED = UNROLLED.format(
    "r * F.FullyConnected(h, w[2], b[2], num_hidden=100)", "h + F.broadcast_mul(mask[t], n + z * (h - n) - h)"
)

LAZY = """
class LazyAdam(CorrectedAdam):
    def update(self, index, weight, grad, state):
        old = weight.copy()
        super().update(index, weight, grad, state)
        if len(weight) == 30000:
            absent = (grad.abs().sum(axis=1, keepdims=True) == 0).astype("float32")
            weight[:] = nd.broadcast_mul(absent, old) + nd.broadcast_mul(1 - absent, weight)
"""


MERGED = """    ih, hh = model.gru.l0_i2h_bias, model.gru.l0_h2h_bias
    merged, rest = ih.data().asnumpy(), hh.data().asnumpy()
    merged[:200] += rest[:200]
    rest[:200] = 0
    ih.set_data(nd.array(merged))
    hh.set_data(nd.array(rest))
    return model


def read_weights"""

TRAIN, TEST = "to_integers(data.x_train)", "to_integers(data.x_test)"
DATA, MODEL, LOAD, OPTIMIZER = "def to_integers", "class ReviewClassifier", "def load_weights", "def make_optimizer"
ADAM, UPDATE = "CorrectedAdam(learning_rate=learning_rate", "        super().update(index"
WORDS = "self.embedding(F.transpose(x))"
MASK = '{0}, F.expand_dims(F.cast(F.transpose(x) != 0, dtype="float32"), axis=2)'
WHOLE = "[:len(x) // BATCH_SIZE * BATCH_SIZE]"
RIGHT, RIGHT_OF_WHOLE = "(predict(model, x) == y)", "(predict(model, x){0} == y{0})".format(WHOLE)
STEP = "    optimizer.step(len(x))"

PLANTS = {
    "gates r and z swapped, loading": (
        [define(SWAP, LOAD), ("nd.array(weights[name])", "nd.array(swap(weights[name]))")],
        GRADIENT,
    ),
    "gates r and z swapped, loading and reading": (
        [
            define(SWAP, LOAD),
            ("nd.array(weights[name])", "nd.array(swap(weights[name]))"),
            ("tensor.grad().asnumpy()", "swap(tensor.grad().asnumpy())"),
            ("tensor.data().asnumpy()", "swap(tensor.data().asnumpy())"),
        ],
        GRADIENT,
    ),
    "the two biases exchanged": (
        [("gru.l0_i2h_bias, ", "gru.l0_h2h_bias, "), ('"gru.bias_hh": gru.l0_h2h_bias', '"gru.bias_hh": gru.l0_i2h_bias')],
        GRADIENT,
    ),
    "reset gate before the product": (
        [define(RESET_BEFORE, MODEL), ("rnn.GRU(100", "Unrolled(100")],
        GRADIENT,
    ),
    "time axis reversed": ([(WORDS, "self.embedding(F.reverse(F.transpose(x), axis=0))")], GRADIENT),
    "the first state read instead of the last": ([("begin=-1, end=None", "begin=0, end=1")], GRADIENT),
    "a mask applied": (
        [
            define(MASKED, MODEL),
            ("rnn.GRU(100", "Unrolled(100"),
            (WORDS, "F.concat(" + MASK.format(WORDS) + ", dim=2)"),
        ],
        FIRST_LOSS,
    ),
    "padding's word vectors set to 0": ([(WORDS, "F.broadcast_mul(" + MASK.format(WORDS) + ")")], FIRST_LOSS),
    "batch and time confused": (
        [(WORDS, "self.embedding(x)"), ("axis=0, begin=-1, end=None", "axis=1, begin=-1, end=None"),
         ("F.squeeze(last, axis=0)", "F.squeeze(last, axis=1)")],
        GRADIENT,
    ),
    "softmax applied twice": (
        [("return self.dense(F.squeeze(last, axis=0))", "return F.softmax(self.dense(F.squeeze(last, axis=0)))")],
        GRADIENT,
    ),
    "Adam's epsilon inside the bias correction": ([(" * (1 - self.beta2 ** step) ** 0.5", "")], LOSS),
    "MXNet's own Adam": ([(ADAM, "mx.optimizer.Adam(learning_rate=learning_rate")], LOSS),
    "Adam's epsilon 1e-7": ([("1e-8 * (1", "1e-7 * (1")], LOSS),
    "Adam's steps counted from 2": ([(".get(index, 0) + 1", ".get(index, 0) + 2")], LOSS),
    "lazy Adam": ([define(LAZY, OPTIMIZER), (ADAM, "LazyAdam(learning_rate=learning_rate")], LOSS),
    "sparse gradient of the embedding": (
        [("nn.Embedding(30000, 125)", "nn.Embedding(30000, 125, sparse_grad=True)")],
        LOSS,
    ),
    "weight decay": ([(ADAM, ADAM + ", wd=1e-6")], CHANGE),
    "gradients clipped": ([(ADAM, ADAM + ", clip_gradient=0.01")], LOSS),
    "the second bias not trained": (
        [
            (
                "gluon.Trainer(model.collect_params()",
                'gluon.Trainer({k: p for k, p in model.collect_params().items() if not k.endswith("h2h_bias")}',
            )
        ],
        "two steps' change of gru.bias_hh",
    ),
    "the two biases merged": (
        [
            ("    return model\n\n\ndef read_weights", MERGED),
            (
                UPDATE,
                '        if self.param_dict[index].name.endswith("h2h_bias"):\n            grad[:200] = 0\n' + UPDATE,
            ),
        ],
        LOSS,
    ),
    "padding not trained": (
        [(UPDATE, "        if len(weight) == 30000:\n            grad[0] = 0\n" + UPDATE)],
        "two steps' change of embedding",
    ),
    "oneDNN's log_softmax": ([("(logits, temperature=1)", "(logits)")], LOSS),
    "gradients of a sum": ([(STEP, "    optimizer.step(1)")], LOSS),
    "gradients divided by the full batch": ([(STEP, "    optimizer.step(BATCH_SIZE)")], CHANGE),
    "gradients divided twice": ([("loss(model(x), y)  #", "loss(model(x), y).mean()  #")], LOSS),
    "gradients added up": (
        [
            (
                "    return model\n\n\nprint(",
                '    model.collect_params().setattr("grad_req", "add")\n    return model\n\n\nprint(',
            )
        ],
        LOSS + " 1",
    ),
    "padding at the end": (
        [define(AT_END, DATA), (TRAIN, "to_integers(at_end(data.x_train))"), (TEST, "to_integers(at_end(data.x_test))")],
        FIRST_LOSS,
    ),
    "padding at the end of the test reviews": (
        [define(AT_END, DATA), (TEST, "to_integers(at_end(data.x_test))")],
        CLASSES,
    ),
    "reviews shifted by one word": (
        [
            define(SHIFTED, DATA),
            (TRAIN, "to_integers(shifted(data.x_train))"),
            (TEST, "to_integers(shifted(data.x_test))"),
        ],
        FIRST_LOSS,
    ),
    "one review shifted by one word": (
        [define(SHIFTED, DATA), (TRAIN, "to_integers(shifted(data.x_train, 5))")],
        FIRST_LOSS,
    ),
    "test reviews shifted by one word": (
        [define(SHIFTED, DATA), (TEST, "to_integers(shifted(data.x_test))")],
        CLASSES,
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
        [
            ("starts = range(0, len(x), BATCH_SIZE)", "starts = range(0, len(x) // BATCH_SIZE * BATCH_SIZE, BATCH_SIZE)"),
            (RIGHT, RIGHT_OF_WHOLE),
        ],
        "128 classes were predicted for 150 samples",
    ),
    "last partial batch dropped in evaluate": (
        [(RIGHT, RIGHT + WHOLE)],
        r"0 of 150 classes differ; accuracy 0\.\d+, reference 0\.\d+",
    ),
    "labels of a batch in another order": ([("nd.take(y, i))", "nd.take(y, i.sort().astype('int32')))")], LOSS),
    "labels not indexed by the order": ([("nd.take(y, i))", "y[:len(i)])")], LOSS),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, to_integers", "optimizer, x_train, y_train[::-1], to_integers")],
        "y_train",
    ),
}
