"""Mistakes for tests/plant.py to plant in the lesson notebooks/gru_imdb/keras.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import gru_imdb as gru

GRU, EMBEDDING = "layers.GRU(100, use_cudnn", "layers.Embedding(30000, 125)"
MODEL = "model = keras.Sequential(["
ADAM = "keras.optimizers.Adam(LEARNING_RATE)"
COMPILED = 'model.compile(optimizer, loss_fn, metrics=["accuracy"], jit_compile=JIT_COMPILE)'
FIT = "    x_train, y_train, batch_size=BATCH_SIZE, epochs=EPOCHS"
CALLBACKS = "    callbacks=[keras.callbacks.LambdaCallback(on_epoch_end=report)],\n)"
REMEMBERED = """
def remembering(fit):
    def fitting(*given, **named):
        globals()["earlier"] = check.read() if "check" in globals() else None
        return fit(*given, **named)

    return fitting


model.fit = remembering(model.fit)
"""
ONES = """
import keras

class Planted(keras.layers.GRU):
    def get_initial_state(self, batch_size):
        return [state + 1 for state in super().get_initial_state(batch_size)]
"""
CARRIED = """
import keras
import tensorflow as tf

kept = tf.Variable(tf.zeros((64, 100)))

class Planted(keras.layers.GRU):
    def call(self, sequences, initial_state=None, mask=None, training=False):
        count = tf.shape(sequences)[0]
        last = super().call(sequences, kept[:count], mask, training)
        kept[:count].assign(last)
        return last
"""


def layer(definition):
    """The changes that put a layer, Planted, in the place of the GRU."""
    return [(GRU, "Planted(100, use_cudnn"), (MODEL, definition + "\n\n" + MODEL)]


PLANTS = {
    **gru.SHARED,
    "averaged weights in predict": ([("def evaluate(", gru.AVERAGED), (COMPILED, COMPILED + REMEMBERED)], gru.AFTER),
    "a first state of ones": (layer(ONES), gru.FORWARD),
    "a state carried over between batches": (layer(CARRIED), gru.FORWARD),
    "a first token dropped": ([(EMBEDDING, EMBEDDING + ", layers.Cropping1D((1, 0))")], gru.FORWARD),
    "another activation of the gates": ([(GRU, 'layers.GRU(100, recurrent_activation="hard_sigmoid", use_cudnn')], gru.GRADIENT),
    "the time axis reversed": ([(GRU, "layers.GRU(100, go_backwards=True, use_cudnn")], gru.GRADIENT),
    "zeros masked": ([(EMBEDDING, "layers.Embedding(30000, 125, mask_zero=True)")], gru.GRADIENT),
    "the accuracy of the first 100 samples": (
        [("model.evaluate(x, y, batch_size", "model.evaluate(x[:100], y[:100], batch_size")],
        gru.SHARE,
    ),
    "last partial batch dropped in predict": (
        [("model.predict(x, batch_size", "model.predict(x[: len(x) // BATCH_SIZE * BATCH_SIZE], batch_size")],
        gru.SHORT_PREDICTION,
    ),
    "probabilities taken for logits": ([("from_logits=True", "from_logits=False")], gru.FIRST_LOSS),
    "weight decay": ([(ADAM, ADAM[:-1] + ", weight_decay=0.004)")], gru.CHANGE),
    "Adam's second momentum": ([(ADAM, ADAM[:-1] + ", beta_2=0.99)")], gru.LATER + "|" + gru.CHANGE),
    "AMSGrad's update": ([(ADAM, ADAM[:-1] + ", amsgrad=True)")], gru.LATER),
    gru.LABELS: ([(FIT, FIT.replace("y_train", "np.roll(y_train, 7)"))], gru.LEARNED),
    gru.HALF: ([(FIT, FIT.replace("x_train, y_train", "x_train[::2], y_train[::2]"))], gru.STEPS),
    gru.THREE_POINTS: ([(CALLBACKS, CALLBACKS + "\nhistory.history['val_accuracy'][-1] += 0.03")], gru.COUNT),
}
