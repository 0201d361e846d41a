"""Mistakes planted in the lesson notebooks/mlp_mnist/keras.ipynb: see mlp_mnist.py."""

from tests.plants import cnn_cifar10 as cnn
from tests.plants import mlp_mnist as mlp

LOSS = "ops.sum(ops.square(a - y), axis=-1) / 2"
LAYERS = "model = keras.Sequential([keras.Input((784,)), dense(30), dense(10)])"
SGD = "optimizer = keras.optimizers.SGD(LEARNING_RATE)"
FIT = "    x_train, y_train, batch_size=BATCH_SIZE, epochs=EPOCHS"
CALLBACKS = "    callbacks=[keras.callbacks.LambdaCallback(on_epoch_end=report)],\n)"
COMPILED = "model.compile(\n    optimizer, loss_fn,"
PREDICT = "model.predict(x, batch_size=len(x), verbose=0)"

PLANTS = {
    **mlp.SHARED,
    cnn.HALF: ([(FIT, FIT.replace("x_train, y_train", "x_train[::2], y_train[::2]"))], mlp.STEPS),
    cnn.LABELS: ([(FIT, FIT.replace("y_train", "np.roll(y_train, 7, axis=0)"))], mlp.LEARNED),
    cnn.THREE_POINTS: ([(CALLBACKS, CALLBACKS + "\nhistory.history['val_accuracy'][-1] += 0.03")], cnn.COUNT),
    "one layer in float32": ([(LAYERS, LAYERS.replace("dense(30)", 'layers.Dense(30, "sigmoid", dtype="float32")'))], mlp.GRADIENT),
    "float64 forgotten": ([('set_floatx("float64")', 'set_floatx("float32")'), ('set_dtype_policy("float64")', 'set_dtype_policy("float32")')], mlp.GRADIENT),
    "the rate divided by the batch": ([(SGD, SGD[:-1] + " / BATCH_SIZE)")], mlp.SECOND_LOSS),
    "the mean over the batch taken twice": ([(LOSS, LOSS + " / ops.cast(ops.shape(a)[0], a.dtype)")], mlp.GRADIENT),
    "the loss without its half": ([(LOSS, LOSS.replace(" / 2", ""))], mlp.GRADIENT),
    "the mean over the outputs": ([(LOSS, LOSS.replace("sum", "mean"))], mlp.GRADIENT),
    "tanh in the hidden layer": ([(LAYERS, LAYERS.replace("dense(30)", 'layers.Dense(30, "tanh")'))], mlp.GRADIENT),
    "no activation at the end": ([(LAYERS, LAYERS.replace("dense(10)", "layers.Dense(10)"))], mlp.GRADIENT),
    "labels of a batch in another order": ([(LOSS, "ops.sum(ops.square(a - ops.flip(y, axis=0)), axis=-1) / 2")], mlp.FIRST_LOSS + "|gradient of"),
    "last partial batch dropped in training": ([(COMPILED, "plain_fit = model.fit\nmodel.fit = lambda x, y, **named: plain_fit(x[: len(x) // 10 * 10], y[: len(y) // 10 * 10], **named)\n" + COMPILED)], cnn.SHORT_TRAINING),
    "last partial batch dropped in predict": ([(PREDICT, PREDICT.replace("model.predict(x", "model.predict(x[: len(x) // 25 * 25]"))], mlp.SHORT_PREDICTION),
    "classes of the smallest output": ([(PREDICT + ".argmax", PREDICT + ".argmin")], mlp.EVALUATION),
    "the accuracy of the first 100 samples": ([("model.evaluate(x, y, batch_size", "model.evaluate(x[:100], y[:100], batch_size")], mlp.SHARE),
    "momentum": ([(SGD, SGD[:-1] + ", momentum=0.1)")], mlp.LATER),
    "weight decay": ([(SGD, SGD[:-1] + ", weight_decay=1e-9)")], mlp.LATER),
    "weights averaged by the optimizer": ([(SGD, SGD[:-1] + ", use_ema=True, ema_momentum=0.5)")], mlp.LATER),
    "one update for two mini-batches": ([(SGD, SGD[:-1] + ", gradient_accumulation_steps=2)")], mlp.GRADIENT + "|" + mlp.SECOND_LOSS),
    "a layer that is not trained": ([(LAYERS, LAYERS + "\nmodel.layers[0].trainable = False")], mlp.GRADIENT),
    "the rate divided by the batch, 50 steps per call": ([mlp.set_to("STEPS_PER_EXECUTION", 1, 50), (SGD, SGD[:-1] + " / BATCH_SIZE)")], mlp.SECOND_LOSS),
}
