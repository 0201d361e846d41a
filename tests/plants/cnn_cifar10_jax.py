"""Mistakes for tests/plant.py to plant in the lesson notebooks/cnn_cifar10/jax.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import cnn_cifar10 as cnn

STEP = "    optimizer.update(model, grads)\n"

PLANTS = {
    **cnn.SHARED,
    **cnn.averaged(),
    **cnn.own_run("minibatches(x_train, y_train, order)", "jnp.take(y, i, axis=0)", "history.append((losses, train_accuracy, test_accuracy))"),
    cnn.LABELS: ([("jnp.take(y, i, axis=0)", "jnp.take(y, np.roll(i, 7), axis=0)")], cnn.FIRST_LOSS),
    cnn.THREE_POINTS: ([("history.append((losses, train_accuracy, test_accuracy))", "history.append((losses, train_accuracy, test_accuracy + 0.03))")], cnn.COUNT),
    "dropout before the first pooling": (
        [
            ("x = nnx.max_pool(self.conv2(x), (2, 2), strides=(2, 2))", "x = nnx.max_pool(self.drop1(self.conv2(x), rngs=rngs), (2, 2), strides=(2, 2))"),
            ("x = self.drop1(nnx.relu(x), rngs=rngs)", "x = nnx.relu(x)"),
        ],
        cnn.DROPOUT,
    ),
    "dropout before the second pooling": (
        [
            ("x = nnx.max_pool(self.conv4(x), (2, 2), strides=(2, 2))", "x = nnx.max_pool(self.drop2(self.conv4(x), rngs=rngs), (2, 2), strides=(2, 2))"),
            ("x = self.drop2(nnx.relu(x), rngs=rngs)", "x = nnx.relu(x)"),
        ],
        cnn.DROPOUT,
    ),
    "dropout on in evaluation": (
        [("nnx.view(model, deterministic=True)", "model"), ("return model(x).argmax(axis=1)", "return model(x, nnx.Rngs(0)).argmax(axis=1)")],
        cnn.EVALUATION,
    ),
    "the accuracy of the first 300 samples": ([("(predict(model, x) == np.asarray(y))", "(predict(model, x[:300]) == np.asarray(y[:300]))")], cnn.SHARE),
    "last partial batch dropped in predict": ([("range(0, len(x), BATCH_SIZE)", "range(0, len(x) // BATCH_SIZE * BATCH_SIZE, BATCH_SIZE)")], cnn.SHORT_PREDICTION),
    "last partial batch dropped in training": ([("for x, y in batches]", "for x, y in batches if len(x) == BATCH_SIZE]")], cnn.SHORT_TRAINING),
    "labels of a batch in another order": ([("train_step(model, optimizer, rngs, x, y) for", "train_step(model, optimizer, rngs, x, y[::-1]) for")], cnn.FIRST_LOSS),
    "the update lost, as with jax.jit": ([("@nnx.jit\ndef train_step", "@jax.jit\ndef train_step")], cnn.SECOND_LOSS),
    "momentum forgotten": ([("optax.sgd(LEARNING_RATE, MOMENTUM)", "optax.sgd(LEARNING_RATE)")], cnn.CHANGE),
    "Nesterov's momentum": ([("optax.sgd(LEARNING_RATE, MOMENTUM)", "optax.sgd(LEARNING_RATE, MOMENTUM, nesterov=True)")], cnn.CHANGE),
    "weight decay": (
        [("optax.sgd(LEARNING_RATE, MOMENTUM)", "optax.chain(optax.add_decayed_weights(1e-4), optax.sgd(LEARNING_RATE, MOMENTUM))")],
        cnn.CHANGE,
    ),
}
