"""Mistakes planted in the lesson notebooks/mlp_mnist_batch/keras.ipynb: see mlp_mnist_batch.py."""

from tests.plants import cnn_cifar10
from tests.plants import mlp_mnist as mlp
from tests.plants import mlp_mnist_batch as batch
from tests.plants.cnn_mnist_keras import ADAM, CALLBACKS, COMPILED, FIT

RUN = "    x_train, y_train, batch_size=len(x_train), epochs=EPOCHS"
HIDDEN = 'layers.Dense(32, activation="relu")'

PLANTS = {
    **batch.SHARED,
    "averaged weights in predict": ([("def evaluate(", mlp.AVERAGED), (COMPILED, COMPILED + FIT)], batch.EVALUATION),
    "labels of the lesson's run in another order": ([(RUN, RUN.replace("y_train", "np.roll(y_train, 7)"))], batch.LEARNED),
    "half of the steps in the lesson's run": ([(RUN, RUN + " // 2")], batch.STEPS),
    cnn_cifar10.THREE_POINTS: ([(CALLBACKS, CALLBACKS + "\nhistory.history['val_accuracy'][-1] += 0.03")], cnn_cifar10.COUNT),
    "probabilities taken for logits": ([("from_logits=True", "from_logits=False")], batch.GRADIENT),
    "no activation": ([(HIDDEN, "layers.Dense(32)")], batch.GRADIENT),
    "GELU in the hidden layer": ([(HIDDEN, HIDDEN.replace("relu", "gelu"))], batch.GRADIENT),
    "last partial batch dropped in predict": ([("model.predict(x, batch_size", "model.predict(x[: len(x) // 25 * 25], batch_size")], batch.SHORT_PREDICTION),
    "classes of the smallest logit": ([("verbose=0).argmax(axis=1)", "verbose=0).argmin(axis=1)")], batch.EVALUATION),
    "the accuracy of the first 100 samples": ([("model.evaluate(x, y, batch_size", "model.evaluate(x[:100], y[:100], batch_size")], batch.SHARE),
    "weight decay": ([(ADAM, ADAM[:-1] + ", weight_decay=0.01)")], batch.LATER),
    "momentum of another size": ([(ADAM, ADAM[:-1] + ", beta_2=0.99)")], batch.LATER),
    "an update with beta_1 0.8": ([(ADAM, ADAM[:-1] + ", beta_1=0.8)")], batch.LATER),
    "weights averaged by the optimizer": ([(ADAM, ADAM[:-1] + ", use_ema=True, ema_momentum=0.5)")], batch.LATER),
    "a rate that falls": ([(ADAM, "optimizer = keras.optimizers.Adam(keras.optimizers.schedules.ExponentialDecay(LEARNING_RATE, 1, 0.99))")], batch.LATER),
}
