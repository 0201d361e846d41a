"""Mistakes planted in the lesson notebooks/cnn_mnist/keras.ipynb: see cnn_mnist.py."""

from tests.plants import cnn_cifar10
from tests.plants import cnn_mnist as cnn
from tests.plants import mlp_mnist as mlp

ADAM = "optimizer = keras.optimizers.Adam(LEARNING_RATE)"
COMPILED = 'model.compile(optimizer, loss_fn, metrics=["accuracy"])'
FIT = """
def remembering(fit):
    def fitting(*given, **named):
        globals()["earlier"] = check.read() if "check" in globals() else None
        return fit(*given, **named)

    return fitting


model.fit = remembering(model.fit)
"""
RUN = "    x_train, y_train, batch_size=BATCH_SIZE, epochs=EPOCHS"
CALLBACKS = "    callbacks=[keras.callbacks.LambdaCallback(on_epoch_end=report)],\n)"
FIRST = "    layers.MaxPooling2D(2),  # 13 x 13 pixels\n    layers.ReLU(),\n"

PLANTS = {
    **cnn.SHARED,
    "averaged weights in predict": ([("def evaluate(", mlp.AVERAGED), (COMPILED, COMPILED + FIT)], cnn.EVALUATION),
    cnn_cifar10.LABELS: ([(RUN, RUN.replace("y_train", "np.roll(y_train, 7)"))], cnn.LEARNED),
    cnn_cifar10.HALF: ([(RUN, "    x_train[::2], y_train[::2], batch_size=BATCH_SIZE, epochs=EPOCHS")], cnn.STEPS),
    cnn_cifar10.THREE_POINTS: ([(CALLBACKS, CALLBACKS + "\nhistory.history['val_accuracy'][-1] += 0.03")], cnn_cifar10.COUNT),
    "width and height swapped in the model": ([("    layers.Flatten(),", "    layers.Permute((2, 1, 3)),\n    layers.Flatten(),")], cnn.GRADIENT),
    "probabilities taken for logits": ([("from_logits=True", "from_logits=False")], cnn.GRADIENT),
    "average pooling": ([(FIRST, FIRST.replace("MaxPooling2D", "AveragePooling2D"))], cnn.GRADIENT),
    "pooling that keeps the last row": ([(FIRST, "    layers.MaxPooling2D(2, padding='same'),\n    layers.ReLU(),\n    layers.Cropping2D(((1, 0), (1, 0))),\n")], cnn.GRADIENT),
    "no ReLU behind the first pooling": ([(FIRST, "    layers.MaxPooling2D(2),\n")], cnn.GRADIENT),
    "label smoothing": ([("loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)", "smooth = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.01)\nloss_fn = lambda y, z: smooth(keras.ops.one_hot(keras.ops.cast(keras.ops.reshape(y, (-1,)), 'int32'), 10), z)")], cnn.GRADIENT),
    "last partial batch dropped in predict": ([("model.predict(x, batch_size", "model.predict(x[: len(x) // 25 * 25], batch_size")], cnn.SHORT_PREDICTION),
    "classes of the smallest logit": ([("verbose=0).argmax(axis=1)", "verbose=0).argmin(axis=1)")], cnn.EVALUATION),
    "the accuracy of the first 100 samples": ([("model.evaluate(x, y, batch_size", "model.evaluate(x[:100], y[:100], batch_size")], cnn.SHARE),
    "weight decay": ([(ADAM, ADAM[:-1] + ", weight_decay=0.01)")], cnn.LATER),
    "momentum of another size": ([(ADAM, ADAM[:-1] + ", beta_2=0.99)")], cnn.LATER),
    "an update with beta_1 0.8": ([(ADAM, ADAM[:-1] + ", beta_1=0.8)")], cnn.LATER),
    "weights averaged by the optimizer": ([(ADAM, ADAM[:-1] + ", use_ema=True, ema_momentum=0.5)")], cnn.LATER),
    "a rate that falls": ([(ADAM, "optimizer = keras.optimizers.Adam(keras.optimizers.schedules.ExponentialDecay(LEARNING_RATE, 1, 0.99))")], cnn.LATER),
}
