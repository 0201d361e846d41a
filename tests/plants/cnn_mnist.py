"""What the plants of the lessons of cnn_mnist share: plain Python 3.6. See tests/plants/mlp_mnist.py."""

from tests.plants import cnn_cifar10 as cnn
from tests.plants import mlp_mnist as mlp

EVALUATION, SHARE, SHORT_PREDICTION = mlp.EVALUATION, mlp.SHARE, mlp.SHORT_PREDICTION
GRADIENT, FIRST_LOSS, SECOND_LOSS, CHANGE, LATER = mlp.GRADIENT, mlp.FIRST_LOSS, mlp.SECOND_LOSS, mlp.CHANGE, mlp.LATER
SHORT_TRAINING = r"train\(\) gave 1 losses; expected: 2"
STEPS = r"its history holds \d+ steps; the settings promise \d+"
LEARNED = mlp.LEARNED

SHARED = {name: plant for name, plant in mlp.SHARED.items() if not name.endswith("by default")}
SHARED["another rate by default"] = ([mlp.set_to("LEARNING_RATE", "0.001", "0.0012")], SECOND_LOSS)
SHARED["another batch size by default"] = (
    [mlp.set_to("BATCH_SIZE", "1000", "500")],
    r"train\(\) gave \d+ losses; expected:",
)

averaged = mlp.averaged


def own_run(order, given, accuracy="(losses, train_accuracy, test_accuracy)"):
    """As in mlp_mnist, with the steps of this workload."""
    found = mlp.own_run(order, given, accuracy)
    found[cnn.HALF] = (found[cnn.HALF][0], STEPS)
    return found
