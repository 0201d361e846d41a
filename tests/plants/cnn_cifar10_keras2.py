"""Mistakes for tests/plant.py to plant in the lesson notebooks/cnn_cifar10/keras2.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import cnn_cifar10 as cnn
from tests.plants.cnn_cifar10_keras import BEFORE, COMPILED, FIT, POOLED, SGD

PLANTS = {
    **cnn.SHARED,
    "averaged weights in predict": (
        [("def evaluate(", cnn.AVERAGED), (COMPILED, COMPILED + FIT)],
        cnn.AFTER,
    ),
    "dropout before the first pooling": ([(POOLED.format("16 x 16", 0), BEFORE.format(0))], cnn.DROPOUT),
    "dropout before the second pooling": ([(POOLED.format("8 x 8", 1), BEFORE.format(1))], cnn.DROPOUT),
    "dropout on in evaluation": (
        [("    return model.predict_classes(x, batch_size=BATCH_SIZE)", "    f = keras.backend.function([model.input, keras.backend.learning_phase()], [model.output])\n    return f([x, 1])[0].argmax(axis=1)")],
        cnn.EVALUATION,
    ),
    "the accuracy of the first 300 samples": ([("return (predict(model, x) == y).mean()", "return (predict(model, x[:300]) == y[:300]).mean()")], cnn.SHARE),
    "last partial batch dropped in predict": ([("model.predict_classes(x, batch_size", "model.predict_classes(x[: len(x) // BATCH_SIZE * BATCH_SIZE], batch_size")], cnn.SHORT_PREDICTION),
    cnn.LABELS: ([("    x_train, y_train, batch_size=BATCH_SIZE, epochs=EPOCHS", "    x_train, np.roll(y_train, 7), batch_size=BATCH_SIZE, epochs=EPOCHS")], cnn.LEARNED),
    cnn.HALF: ([("    x_train, y_train, batch_size=BATCH_SIZE, epochs=EPOCHS", "    x_train[::2], y_train[::2], batch_size=BATCH_SIZE, epochs=EPOCHS")], cnn.STEPS),
    cnn.THREE_POINTS: ([("    callbacks=[keras.callbacks.LambdaCallback(on_epoch_end=report)],\n)", "    callbacks=[keras.callbacks.LambdaCallback(on_epoch_end=report)],\n)\nhistory.history['val_accuracy'][-1] += 0.03")], cnn.COUNT),
    "probabilities taken for logits": ([("from_logits=True", "from_logits=False")], cnn.FIRST_LOSS),
    "momentum forgotten": ([(SGD, "keras.optimizers.SGD(LEARNING_RATE)")], cnn.CHANGE),
    "Nesterov's momentum": ([(SGD, SGD[:-1] + ", nesterov=True)")], cnn.CHANGE),
    "gradients clipped before the update": ([(SGD, SGD[:-1] + ", clipnorm=1.0)")], cnn.CHANGE),
}
