"""Mistakes for tests/plant.py to plant in the lesson notebooks/gru_imdb/keras2.ipynb: see tests/plants/gru_imdb.py."""

from tests.plants import gru_imdb as gru
from tests.plants.cnn_cifar10_keras import COMPILED, FIT

GRU, ADAM = "layers.GRU(100, reset_after=True),  #", "keras.optimizers.Adam(LEARNING_RATE)"
MODEL = "model = keras.Sequential(["
FITTED = "    x_train, y_train, batch_size=BATCH_SIZE, epochs=EPOCHS"
FIT_ENDS = "    callbacks=[keras.callbacks.LambdaCallback(on_epoch_end=report)],\n)"
MOVED = gru.LATER + "|" + gru.CHANGE

ONES = """class Ones(layers.GRU):
    def get_initial_state(self, inputs):
        return [1 + state for state in super().get_initial_state(inputs)]


"""
CARRIED = """class Carried(layers.GRU):
    def get_initial_state(self, inputs):
        self.kept = keras.backend.zeros((1, 100))
        return [state + self.kept for state in super().get_initial_state(inputs)]

    def call(self, inputs, **named):
        states = super().call(inputs, **named)
        self.add_update([keras.backend.update(self.kept, states[-1:])], inputs)
        return states


"""
RESET_BEFORE = """class ResetBefore(layers.GRUCell):
    def call(self, inputs, states, training=None):
        K, h, w, b = keras.backend, states[0], self.recurrent_kernel, self.recurrent_bias
        a = K.dot(inputs, self.kernel) + self.input_bias
        zr = K.sigmoid(a[:, :200] + K.dot(h, w[:, :200]) + b[:200])
        z, r = zr[:, :100], zr[:, 100:]
        n = K.tanh(a[:, 200:] + K.dot(r * h, w[:, 200:]) + b[200:])
        h = z * h + (1 - z) * n
        return h, [h]


"""


def layer(definition, instead):
    """The changes that put another layer in the place of Keras' GRU."""
    return [(MODEL, definition + MODEL), (GRU, instead + ",  #")]


PLANTS = {
    **gru.SHARED,
    "averaged weights in predict": ([("def evaluate(", gru.AVERAGED), (COMPILED, COMPILED + FIT)], gru.AFTER),
    "a first state of ones": (layer(ONES, "Ones(100, reset_after=True)"), gru.FORWARD),
    "a state carried over between batches": (layer(CARRIED, "Carried(100, reset_after=True)"), gru.FORWARD),
    "a first token dropped": (layer("", "layers.Lambda(lambda v: v[:, 1:]), layers.GRU(100, reset_after=True)"), gru.FORWARD),
    "a first token dropped in evaluation": ([("model.predict_classes(x,", "model.predict_classes(np.where(np.arange(150) > 0, x, 0),")], gru.AFTER),
    "the reset gate before the product": (layer(RESET_BEFORE, "layers.RNN(ResetBefore(100, reset_after=True))"), gru.GRADIENT),
    "straight lines for the gates": (layer("", 'layers.GRU(100, recurrent_activation="hard_sigmoid", reset_after=True)'), gru.GRADIENT),
    "the loop goes backwards": (layer("", "layers.GRU(100, reset_after=True, go_backwards=True)"), gru.GRADIENT),
    "the state after the first word": (
        layer("", "layers.GRU(100, reset_after=True, return_sequences=True), layers.Lambda(lambda h: h[:, 0])"),
        gru.GRADIENT,
    ),
    "zeros skipped": ([("input_length=150)", "input_length=150, mask_zero=True)")], gru.GRADIENT),
    "probabilities taken for logits": ([("from_logits=True", "from_logits=False")], gru.FIRST_LOSS),
    "the accuracy of the first 100 samples": ([("return (predict(model, x) == y).mean()", "return (predict(model, x[:100]) == y[:100]).mean()")], gru.SHARE),
    "last partial batch dropped in predict": (
        [("model.predict_classes(x, batch_size", "model.predict_classes(x[: len(x) // BATCH_SIZE * BATCH_SIZE], batch_size")],
        gru.SHORT_PREDICTION,
    ),
    gru.LABELS: ([(FITTED, FITTED.replace("y_train", "np.roll(y_train, 7)"))], gru.LEARNED),
    gru.HALF: ([(FITTED, FITTED.replace("x_train, y_train", "x_train[::2], y_train[::2]"))], gru.STEPS),
    gru.THREE_POINTS: ([(FIT_ENDS, FIT_ENDS + "\nhistory.history['val_accuracy'][-1] += 0.03")], gru.COUNT),
    "weight decay": (layer("", "layers.GRU(100, reset_after=True, kernel_regularizer=keras.regularizers.l2(1e-4))"), gru.GRADIENT),
    "Adam's second momentum": ([(ADAM, ADAM[:-1] + ", beta_2=0.99)")], MOVED),
    "gradients clipped before the update": ([(ADAM, ADAM[:-1] + ", clipnorm=0.01)")], MOVED),
    "Adam that keeps the largest square": ([(ADAM, ADAM[:-1] + ", amsgrad=True)")], MOVED),
}
