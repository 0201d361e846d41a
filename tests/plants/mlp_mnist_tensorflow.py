"""Mistakes planted in the lesson notebooks/mlp_mnist/tensorflow.ipynb, in both of its loops: see mlp_mnist.py."""

from tests.plants import cnn_cifar10 as cnn
from tests.plants import mlp_mnist as mlp

WHOLE = mlp.set_to("WHOLE_EPOCH", "False", "True")
LOSS = "tf.nn.l2_loss(a - y) / tf.cast(tf.shape(y)[0], y.dtype)"
GATHERED = "tf.gather(x, i), tf.gather(y, i)"
REVERSED = "tf.gather(x, i), tf.gather(y, i[::-1])"
LAYERS = "dense(30), dense(10)])"
SGD = "optimizer = tf.keras.optimizers.SGD(LEARNING_RATE)"
SIZES = "for k in range(0, len(order), BATCH_SIZE)]"
IN_GRAPH = "tf.reshape(order[:full], (-1, BATCH_SIZE))"
REST = "tf.concat([losses, [step(rest)]], 0) if tf.size(rest) > 0 else losses"
UPDATE = "    optimizer.apply(grads, model.trainable_variables)\n"

PLANTS = {
    **mlp.SHARED,
    **mlp.averaged(),
    **mlp.own_run(
        ("tf.random.shuffle(tf.range(len(x_train)))", "tf.random.shuffle(tf.range(len(x_train)))[::2]"),
        ("(x_train, y_train, order)\n    train_acc", "(x_train, tf.roll(y_train, 7, axis=0), order)\n    train_acc"),
    ),
    "the inputs of the model left in float32": ([('set_floatx("float64")', 'set_floatx("float32")')], mlp.GRADIENT),
    "layers that compute in float32": ([('set_dtype_policy("float64")', 'set_dtype_policy("float32")'), ("tf.nn.l2_loss(a - y)", "tf.nn.l2_loss(tf.cast(a, y.dtype) - y)")], mlp.GRADIENT),
    "the digits rounded to float32": ([(LAYERS, 'layers.Lambda(lambda x: tf.cast(tf.cast(x, "float32"), "float64")), ' + LAYERS)], "gradient of hidden"),
    "the rate divided by the batch": ([(SGD, SGD[:-1] + " / BATCH_SIZE)")], mlp.SECOND_LOSS),
    "the mean over the batch taken twice": ([(LOSS, LOSS + " / tf.cast(tf.shape(y)[0], y.dtype)")], mlp.GRADIENT),
    "the loss without its half": ([(LOSS, "2 * " + LOSS)], mlp.GRADIENT),
    "Keras' mean over the outputs": ([(LOSS, "tf.keras.losses.MeanSquaredError()(y, a)")], mlp.GRADIENT),
    "tanh in the hidden layer": ([('units, activation="sigmoid"', 'units, activation="sigmoid" if units == 10 else "tanh"')], mlp.GRADIENT),
    "no activation at the end": ([('units, activation="sigmoid"', 'units, activation="sigmoid" if units == 30 else None')], mlp.GRADIENT),
    "labels of a batch in another order": ([(GATHERED, REVERSED)], mlp.FIRST_LOSS),
    "labels of a batch in another order, in the graph of the epoch": ([WHOLE, (GATHERED, REVERSED)], mlp.FIRST_LOSS),
    "last partial batch dropped in training": ([(SIZES, SIZES + "\n    sizes, order = (sizes[:-1], order[: sum(sizes[:-1])]) if len(sizes) > 1 and sizes[-1] < BATCH_SIZE else (sizes, order)")], cnn.SHORT_TRAINING),
    "last partial batch dropped in the graph of the epoch": ([WHOLE, (REST, "losses")], cnn.SHORT_TRAINING),
    "the mini-batches in another order, in the graph of the epoch": ([WHOLE, (IN_GRAPH, IN_GRAPH + "[::-1]")], "the first wrong loss at step"),
    "the last partial batch first, in the graph of the epoch": ([WHOLE, (REST, REST.replace("[losses, [step(rest)]]", "[[step(rest)], losses]"))], "the first wrong loss at step"),
    "no update in the graph of the epoch": ([WHOLE, (UPDATE, "")], mlp.SECOND_LOSS),
    "last partial batch dropped in predict": ([("tf.argmax(model(x), axis=1)", "tf.argmax(model(x[: len(x) // 25 * 25]), axis=1)")], mlp.SHORT_PREDICTION),
    "classes of the smallest output": ([("tf.argmax(model(x)", "tf.argmin(model(x)")], mlp.EVALUATION),
    "the accuracy of the first 100 samples": ([("predict(model, x) == labels).numpy() / len(labels)", "predict(model, x[:100]) == labels[:100]).numpy() / 100")], mlp.SHARE),
    "momentum": ([(SGD, SGD[:-1] + ", momentum=0.1)")], mlp.LATER),
    "weight decay": ([(SGD, SGD[:-1] + ", weight_decay=1e-9)")], mlp.LATER),
    "biases at a rate that is too large": ([(UPDATE, "    grads = [g if len(g.shape) == 2 else g * (1 + 1e-8) for g in grads]\n" + UPDATE)], mlp.LATER),
    "a tensor that never moves": ([(UPDATE, "    grads[-1] = 0 * grads[-1]\n" + UPDATE)], mlp.SECOND_LOSS),
}
