"""Mistakes planted in the lesson notebooks/mlp_mnist_batch/tensorflow1.ipynb: see mlp_mnist_batch.py."""

from tests.plants import mlp_mnist_batch as batch
from tests.plants.cnn_mnist_tensorflow1 import ADAM, LOSS

FED = "{inputs: x, labels: y})\n    return value"
HIDDEN = "activation=tf.nn.relu, "

PLANTS = {
    **batch.SHARED,
    **batch.averaged(),
    **batch.own_run(
        ("for epoch in range(EPOCHS):", "for epoch in range(EPOCHS // 2):"),
        ("train_step(x_train, y_train)\n    train_acc", "train_step(x_train, np.roll(y_train, 7))\n    train_acc"),
        "([value], train_accuracy, test_accuracy)",
    ),
    "no activation": ([(HIDDEN, "")], batch.GRADIENT),
    "ELU in the hidden layer": ([(HIDDEN, HIDDEN.replace("relu", "elu"))], batch.GRADIENT),
    "the sum of the losses": ([(LOSS, LOSS[:-1] + ", reduction=tf.losses.Reduction.SUM)")], batch.GRADIENT),
    "labels of the batch in another order": ([(FED, FED.replace("labels: y", "labels: y[::-1]"))], batch.FIRST_LOSS),
    "half of the digits in each step": ([(FED, FED.replace("inputs: x, labels: y", "inputs: x[::2], labels: y[::2]"))], batch.FIRST_LOSS),
    "last partial batch dropped in predict": ([("{inputs: x})", "{inputs: x[: len(x) // 25 * 25]})")], batch.SHORT_PREDICTION),
    "classes of the smallest logit": ([("tf.argmax(logits", "tf.argmin(logits")], batch.EVALUATION),
    "the accuracy of the first 100 samples": ([("(predict(x) == y).mean()", "(predict(x[:100]) == y[:100]).mean()")], batch.SHARE),
    "momentum of another size": ([(ADAM, ADAM[:-1] + ", beta1=0.8)")], batch.LATER),
    "the update of another rate of squares": ([(ADAM, ADAM[:-1] + ", beta2=0.99)")], batch.LATER),
}
