"""Mistakes planted in the lesson notebooks/mlp_mnist_batch/tensorflow.ipynb, also with XLA: see mlp_mnist_batch.py."""

from tests.plants import mlp_mnist as mlp
from tests.plants import mlp_mnist_batch as batch

XLA = mlp.set_to("JIT_COMPILE", "False", "True")
LOSS = "tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))"
CALLED = "loss = loss_fn(y, model(x, training=True))"
ADAM = "optimizer = tf.keras.optimizers.Adam(LEARNING_RATE)"
UPDATE = "    optimizer.apply(grads, model.trainable_variables)\n"
HIDDEN = 'layers.Dense(32, activation="relu")'

PLANTS = {
    **batch.SHARED,
    **batch.averaged("@tf.function(jit_compile=JIT_COMPILE)\ndef train_step(", "@remember\n@tf.function(jit_compile=JIT_COMPILE)\ndef train_step("),
    **batch.own_run(
        ("for epoch in range(EPOCHS):", "for epoch in range(EPOCHS // 2):"),
        ("optimizer, x_train, y_train).numpy()", "optimizer, x_train, tf.roll(y_train, 7, axis=0)).numpy()"),
    ),
    "no activation": ([(HIDDEN, "layers.Dense(32)")], batch.GRADIENT),
    "GELU in the hidden layer": ([(HIDDEN, HIDDEN.replace("relu", "gelu"))], batch.GRADIENT),
    "softmax taken twice": ([("    layers.Dense(10),\n", "    layers.Dense(10, activation='softmax'),\n")], batch.GRADIENT),
    "the sum of the losses": ([(LOSS, LOSS.replace("reduce_mean", "reduce_sum"))], batch.GRADIENT),
    "labels of the batch in another order": ([(CALLED, CALLED.replace("(y,", "(y[::-1],"))], batch.FIRST_LOSS),
    "labels of the batch in another order, by XLA": ([XLA, (CALLED, CALLED.replace("(y,", "(y[::-1],"))], batch.FIRST_LOSS),
    "half of the digits in each step": ([(CALLED, "loss = loss_fn(y[::2], model(x[::2], training=True))")], batch.FIRST_LOSS),
    "last partial batch dropped in predict": ([("tf.argmax(model(x), axis=1)", "tf.argmax(model(x[: len(x) // 25 * 25]), axis=1)")], batch.SHORT_PREDICTION),
    "classes of the smallest logit": ([("tf.argmax(model(x)", "tf.argmin(model(x)")], batch.EVALUATION),
    "the accuracy of the first 100 samples": ([("predict(model, x) == y).numpy() / len(y)", "predict(model, x[:100]) == y[:100]).numpy() / 100")], batch.SHARE),
    "an update with beta_2 0.99": ([(ADAM, ADAM[:-1] + ", beta_2=0.99)")], batch.LATER),
    "weight decay": ([(ADAM, ADAM[:-1] + ", weight_decay=0.01)")], batch.LATER),
    "momentum of another size": ([(ADAM, ADAM[:-1] + ", beta_1=0.8)")], batch.LATER),
    "plain SGD for the update": ([(ADAM, "optimizer = tf.keras.optimizers.SGD(LEARNING_RATE)\noptimizer.beta_2 = 0.999")], batch.SECOND_LOSS),
    "an update that is never made": ([(UPDATE, "")], batch.SECOND_LOSS),
}
