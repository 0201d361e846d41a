"""Mistakes for tests/plant.py to plant in the lesson notebooks/cnn_cifar10/keras.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import cnn_cifar10 as cnn

SGD = "keras.optimizers.SGD(LEARNING_RATE, momentum=MOMENTUM)"
POOLED = "    layers.MaxPooling2D(),  # {} pixels\n    layers.ReLU(),\n    layers.Dropout(DROPOUT[{}]),\n"
BEFORE = "    layers.Dropout(DROPOUT[{}]),\n    layers.MaxPooling2D(),\n    layers.ReLU(),\n"
COMPILED = 'model.compile(optimizer, loss_fn, metrics=["accuracy"])'
FIT = """
def remembering(fit):
    def fitting(*given, **named):
        globals()["earlier"] = check.read() if "check" in globals() else None
        return fit(*given, **named)

    return fitting


model.fit = remembering(model.fit)
"""

PLANTS = {
    **cnn.SHARED,
    "averaged weights in predict": (
        [("def evaluate(", cnn.AVERAGED), (COMPILED, COMPILED + FIT)],
        cnn.AFTER,
    ),
    "dropout before the first pooling": ([(POOLED.format("16 x 16", 0), BEFORE.format(0))], cnn.DROPOUT),
    "dropout before the second pooling": ([(POOLED.format("8 x 8", 1), BEFORE.format(1))], cnn.DROPOUT),
    "dropout on in evaluation": (
        [("    return model.predict(x, batch_size=BATCH_SIZE, verbose=0).argmax(axis=1)", "    x = keras.ops.convert_to_tensor(x)\n    return keras.ops.convert_to_numpy(model(x, training=True)).argmax(axis=1)")],
        cnn.EVALUATION,
    ),
    "one seed for all dropout layers": ([("layers.Dropout(DROPOUT[%d])" % i, "layers.Dropout(DROPOUT[%d], seed=SEED)" % i) for i in range(3)], cnn.MASKS),
    "the accuracy of the first 300 samples": ([("model.evaluate(x, y, batch_size", "model.evaluate(x[:300], y[:300], batch_size")], cnn.SHARE),
    "last partial batch dropped in predict": ([("model.predict(x, batch_size", "model.predict(x[: len(x) // BATCH_SIZE * BATCH_SIZE], batch_size")], cnn.SHORT_PREDICTION),
    cnn.LABELS: ([("    x_train, y_train, batch_size=BATCH_SIZE, epochs=EPOCHS", "    x_train, np.roll(y_train, 7), batch_size=BATCH_SIZE, epochs=EPOCHS")], cnn.LEARNED),
    cnn.HALF: ([("    x_train, y_train, batch_size=BATCH_SIZE, epochs=EPOCHS", "    x_train[::2], y_train[::2], batch_size=BATCH_SIZE, epochs=EPOCHS")], cnn.STEPS),
    cnn.THREE_POINTS: ([("    callbacks=[keras.callbacks.LambdaCallback(on_epoch_end=report)],\n)", "    callbacks=[keras.callbacks.LambdaCallback(on_epoch_end=report)],\n)\nhistory.history['val_accuracy'][-1] += 0.03")], cnn.COUNT),
    "probabilities taken for logits": ([("from_logits=True", "from_logits=False")], cnn.FIRST_LOSS),
    "momentum forgotten": ([(SGD, "keras.optimizers.SGD(LEARNING_RATE)")], cnn.CHANGE),
    "Nesterov's momentum": ([(SGD, SGD[:-1] + ", nesterov=True)")], cnn.CHANGE),
    "weight decay": ([(SGD, SGD[:-1] + ", weight_decay=1e-4)")], cnn.CHANGE),
    "weights averaged by the optimizer": ([(SGD, SGD[:-1] + ", use_ema=True, ema_momentum=0.5)")], cnn.CHANGE),
}
