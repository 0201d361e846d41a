"""Mistakes for tests/plant.py to plant in the lesson notebooks/cnn_cifar10/equinox.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import cnn_cifar10 as cnn

LOOP = "def train_epoch(model, opt_state, batches, key):\n"
AVERAGED = """plain_predict = predict


def predict(model, x):  # a model never changes, so the weights of before are kept by the loop
    before = globals().get("earlier", model)
    mean = jax.tree.map(lambda now, then: (now + then) / 2 if eqx.is_inexact_array(now) else now, model, before)
    return plain_predict(mean, x)


def evaluate("""
APPENDED = "history.append((losses, train_accuracy, test_accuracy))"
TAKEN = "jnp.take(y, i, axis=0)"
STEP = "model, opt_state, loss = train_step(model, opt_state, x, y, step_key)"
SGD = "optax.sgd(LEARNING_RATE, MOMENTUM)"

PLANTS = {
    **cnn.SHARED,
    **cnn.own_run("minibatches(x_train, y_train, order)", TAKEN, APPENDED),
    cnn.LABELS: ([(TAKEN, "jnp.take(y, np.roll(i, 7), axis=0)")], cnn.FIRST_LOSS),
    cnn.THREE_POINTS: ([(APPENDED, APPENDED.replace("test_accuracy))", "test_accuracy + 0.03))"))], cnn.COUNT),
    "averaged weights in predict": ([("def evaluate(", AVERAGED), (LOOP, LOOP + '    globals()["earlier"] = model\n')], cnn.AFTER),
    "dropout before the first pooling": (
        [
            ("self.pool(self.conv2(x))", "self.pool(self.drops[0](self.conv2(x), key=key1))"),
            ("self.conv3(self.drops[0](x, key=key1))", "self.conv3(x)"),
        ],
        cnn.DROPOUT,
    ),
    "dropout before the second pooling": (
        [
            ("self.pool(self.conv4(x))", "self.pool(self.drops[1](self.conv4(x), key=key2))"),
            ("self.drops[1](x, key=key2).ravel()", "x.ravel()"),
        ],
        cnn.DROPOUT,
    ),
    "dropout on in evaluation": (
        [("    model = eqx.nn.inference_mode(model)\n", ""), ("forward(model, x).argmax", "forward(model, x, jax.random.key(0)).argmax")],
        cnn.EVALUATION,
    ),
    "dropout off in training": ([("(forward(model, x, key), y)", "(forward(eqx.nn.inference_mode(model), x), y)")], cnn.DROPOUT),
    "one key for two layers": ([("self.drops[1](x, key=key2)", "self.drops[1](x, key=key1)")], cnn.MASKS),
    "one key for all steps": ([("key, step_key = jax.random.split(key)", "step_key = key")], "the masks repeat|" + cnn.MASKS),
    "the accuracy of the first 300 samples": ([("(predict(model, x) == np.asarray(y))", "(predict(model, x[:300]) == np.asarray(y[:300]))")], cnn.SHARE),
    "last partial batch dropped in predict": ([("range(0, len(x), BATCH_SIZE)", "range(0, len(x) // BATCH_SIZE * BATCH_SIZE, BATCH_SIZE)")], cnn.SHORT_PREDICTION),
    "last partial batch dropped in training": (
        [("        losses.append(loss)\n", "        losses += [loss] if len(x) == BATCH_SIZE else []\n")],
        cnn.SHORT_TRAINING,
    ),
    "labels of a batch in another order": ([(STEP, STEP.replace(" y,", " y[::-1],"))], cnn.FIRST_LOSS),
    "the update lost": ([(STEP, STEP.replace("model, opt_state, loss", "_, opt_state, loss"))], cnn.SECOND_LOSS),
    "momentum lost with the optimizer's state": ([(STEP, STEP.replace("model, opt_state, loss", "model, _, loss"))], cnn.CHANGE),
    "momentum forgotten": ([(SGD, "optax.sgd(LEARNING_RATE)")], cnn.CHANGE),
    "Nesterov's momentum": ([(SGD, "optax.sgd(LEARNING_RATE, MOMENTUM, nesterov=True)")], cnn.CHANGE),
    "weight decay": ([(SGD, "optax.chain(optax.add_decayed_weights(1e-4), " + SGD + ")")], cnn.CHANGE),
}
