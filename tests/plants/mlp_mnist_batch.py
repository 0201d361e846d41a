"""What the plants of the lessons of mlp_mnist_batch share: plain Python 3.6. See tests/plants/mlp_mnist.py.

A step takes all digits: there is no BATCH_SIZE, and an order cannot be wrong.
"""

from tests.plants import cnn_cifar10 as cnn
from tests.plants import mlp_mnist as mlp

EVALUATION, SHARE, SHORT_PREDICTION = mlp.EVALUATION, mlp.SHARE, mlp.SHORT_PREDICTION
GRADIENT, FIRST_LOSS, SECOND_LOSS, CHANGE, LATER = mlp.GRADIENT, mlp.FIRST_LOSS, mlp.SECOND_LOSS, mlp.CHANGE, mlp.LATER
STEPS = r"its history holds \d+ steps; the settings promise \d+"
LEARNED = mlp.LEARNED

SHARED = {name: plant for name, plant in mlp.SHARED.items() if not name.endswith("by default")}
SHARED["another rate by default"] = ([mlp.set_to("LEARNING_RATE", "0.001", "0.0012")], SECOND_LOSS)


def own_run(steps, given, accuracy="([loss], train_accuracy, test_accuracy)"):
    """The plants of a lesson's own run: texts of its loop, of the arrays that it is given, of history's entry.

    ``steps``: (text, that of half of the steps); ``given``: (text, that with labels rolled).
    """
    return {
        "half of the steps in the lesson's run": ([steps], STEPS),
        "labels of the lesson's run in another order": ([given], LEARNED),
        cnn.THREE_POINTS: ([(accuracy, accuracy.replace("test_accuracy", "test_accuracy + 0.03"))], cnn.COUNT),
    }


def averaged(loop="def train_step(", remember="@remember\ndef train_step("):
    """As in mlp_mnist, of now and of before the last step."""
    return mlp.averaged(loop, remember)
