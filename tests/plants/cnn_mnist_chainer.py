"""Mistakes planted in the lesson notebooks/cnn_mnist/chainer.ipynb: see cnn_mnist.py."""

from tests.plants import cnn_mnist as cnn
from tests.plants import mlp_mnist as mlp

NUMPY = mlp.set_to("BACKEND", '"ideep"', '"numpy"')
ADAM = "optimizer = chainer.optimizers.Adam(LEARNING_RATE).setup(model)"
STEP = "train_step(model, optimizer, x[i], y[i]) for i in batches])"
FIRST = "x = F.relu(F.max_pooling_2d(self.conv1(x), 2, cover_all=False))"
LOSS = "loss_fn = F.softmax_cross_entropy"
UPDATE = "    optimizer.update()\n"

PLANTS = {
    **cnn.SHARED,
    **cnn.averaged(),
    **cnn.own_run(
        ("np.random.permutation(len(x_train)))", "np.random.permutation(len(x_train))[::2])"),
        ("optimizer, x_train, y_train, np.random", "optimizer, x_train, np.roll(y_train, 7), np.random"),
    ),
    "width and height swapped in the model": ([("return self.dense(x)", "return self.dense(F.transpose(x, (0, 1, 3, 2)))")], cnn.GRADIENT),
    "pooling that rounds up": ([(FIRST, "x = F.relu(F.max_pooling_2d(self.conv1(x), 2))[:, :, 1:, 1:]")], cnn.GRADIENT),
    "average pooling, in NumPy": ([NUMPY, (FIRST, "x = F.relu(F.average_pooling_2d(self.conv1(x), 2))")], cnn.GRADIENT),
    "no ReLU behind the first pooling": ([(FIRST, "x = F.max_pooling_2d(self.conv1(x), 2, cover_all=False)")], cnn.GRADIENT),
    "ReLU that leaks": ([(FIRST, FIRST.replace("F.relu(", "F.leaky_relu("))], cnn.GRADIENT),
    "the sum of a batch's losses": ([(LOSS, "def loss_fn(z, y):\n    return F.softmax_cross_entropy(z, y) * len(y)")], cnn.GRADIENT),
    "labels of a batch in another order": ([(STEP, STEP.replace("y[i]", "y[i[::-1]]"))], cnn.FIRST_LOSS),
    "labels of a batch in another order, in NumPy": ([NUMPY, (STEP, STEP.replace("y[i]", "y[i[::-1]]"))], cnn.FIRST_LOSS),
    "the order of the samples ignored": ([("np.split(order,", "np.split(np.sort(order),")], cnn.FIRST_LOSS),
    "last partial batch dropped in training": ([(STEP, STEP[:-2] + " if len(order) < 1000 or len(i) == BATCH_SIZE])")], cnn.SHORT_TRAINING),
    "last partial batch dropped in predict": ([("    batches = np.split(x, range", "    x = x[: len(x) // 25 * 25]\n    batches = np.split(x, range")], cnn.SHORT_PREDICTION),
    "classes of the smallest logit": ([("array.argmax(axis=1)", "array.argmin(axis=1)")], cnn.EVALUATION),
    "the accuracy of the first 100 samples": ([("(predict(model, x) == y)", "(predict(model, x[:100]) == y[:100])")], cnn.SHARE),
    "weight decay": ([(ADAM, ADAM + "\noptimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-3))")], cnn.LATER),
    "updates with clipped gradients": ([(ADAM, ADAM + "\noptimizer.add_hook(chainer.optimizer_hooks.GradientClipping(0.1))")], cnn.LATER + "|gradient of"),
    "momentum of another size": ([(ADAM, ADAM.replace("Adam(LEARNING_RATE)", "Adam(LEARNING_RATE, beta1=0.8)"))], cnn.LATER),
    "an update with beta2 0.99": ([(ADAM, ADAM.replace("(LEARNING_RATE)", "(LEARNING_RATE, beta2=0.99)"))], cnn.LATER),
    "gradients not cleared": ([("    model.cleargrads()\n    loss", "    loss")], "gradient of|loss at step|NaN|nan"),
    "an update that is never made": ([(UPDATE, "")], cnn.SECOND_LOSS),
}
