"""Mistakes for tests/plant.py to plant in the lesson notebooks/cnn_cifar10/theano.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import cnn_cifar10 as cnn

PLANTS = {
    **cnn.SHARED,
    **cnn.averaged(),
    cnn.HALF: ([("train_epoch(minibatches(len(data.x_train)))", "train_epoch(minibatches(len(data.x_train))[::2])")], cnn.STEPS),
    "labels of a batch in another order": ([("y: y_train[i]}", "y: y_train[i][::-1]}")], cnn.FIRST_LOSS),
    cnn.THREE_POINTS: ([("train_accuracy, test_accuracy))", "train_accuracy, test_accuracy + 0.03))")], cnn.COUNT),
    "the accuracy of the first 300 samples": ([("np.mean(predict(images) == labels)", "np.mean(predict(images[:300]) == labels[:300])")], cnn.SHARE),
    "last partial batch dropped in predict": ([("for k in range(0, len(images), BATCH_SIZE)]", "for k in range(0, len(images) // BATCH_SIZE * BATCH_SIZE, BATCH_SIZE)]")], cnn.SHORT_PREDICTION),
    "dropout before the first pooling": (
        [
            ("x = T.nnet.relu(pool(self.conv2(x)))", "x = T.nnet.relu(pool(self.drop(self.conv2(x), DROPOUT[0], train)))"),
            ("self.conv3(self.drop(x, DROPOUT[0], train))", "self.conv3(x)"),
        ],
        cnn.DROPOUT,
    ),
    "dropout before the second pooling": (
        [
            ("x = T.nnet.relu(pool(self.conv4(x)))", "x = T.nnet.relu(pool(self.drop(self.conv4(x), DROPOUT[1], train)))"),
            ("x = self.drop(x, DROPOUT[1], train).flatten(2)", "x = x.flatten(2)"),
        ],
        cnn.DROPOUT,
    ),
    "dropout on in evaluation": ([("classes = model(x, train=False)", "classes = model(x, train=True)")], cnn.EVALUATION),
    "dropout without its scale": ([("dtype=x.dtype) / (1 - rate)", "dtype=x.dtype)")], cnn.DROPOUT),
    "last partial batch dropped in training": ([("for i in batches])", "for i in batches if len(i) == BATCH_SIZE])")], cnn.SHORT_TRAINING),
    "momentum with dampening": ([("MOMENTUM * velocity - LEARNING_RATE * grad", "MOMENTUM * velocity - (1 - MOMENTUM) * LEARNING_RATE * grad")], cnn.CHANGE),
    "Nesterov's momentum": ([("(p, p + step)]", "(p, p + MOMENTUM * step - LEARNING_RATE * grad)]")], cnn.CHANGE),
    "weight decay": ([("LEARNING_RATE * grad\n", "LEARNING_RATE * (grad + 1e-4 * p)\n")], cnn.CHANGE),
    "kernels turned": ([("filter_flip=False", "filter_flip=True")], cnn.GRADIENT),
}
