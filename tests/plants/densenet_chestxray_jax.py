"""Mistakes for tests/plant.py to plant in the lesson notebooks/densenet_chestxray/jax.ipynb: see densenet_chestxray.py."""

from tests.plants import densenet_chestxray as dense

BATCH_NORM = "nnx.BatchNorm({}, momentum={}, epsilon={}, use_fast_variance=False, rngs=rngs)"
OFFSETS = "rng.integers(image.shape[0] - CROP + 1, size=2)"
NORMALIZED = "(image[..., None] / np.float32(255) - MEAN) / DEVIATION"
READ = "dataset.shuffle().map(read).random_map(augment)"
SAMPLES = "zip(paths, findings, strict=True)"
MEAN_LOSS = "optax.sigmoid_binary_cross_entropy(model(x), y).mean()"
ADAM = "optax.adam(LEARNING_RATE)"
LOSSES = "[train_step(model, optimizer, x, y) for x, y in batches]"
ON_DEVICES = "    return train_epoch(model, optimizer, (jax.device_put(batch, divided) for batch in batches))"
SUMMED = """
    @nnx.jit
    def step(model, optimizer, x, y):
        loss, grads = nnx.value_and_grad(loss_fn)(model, x, y)
        optimizer.update(model, jax.tree.map(lambda grad: jax.device_count() * grad, grads))
        return loss

    return np.array([step(model, optimizer, *jax.device_put(batch, divided)) for batch in batches])"""
HISTORY = "history.append((losses, areas))"


def seeded(seed):
    """Crops and flips by a generator with a seed made of k, the sample's number."""
    drawn = f"lambda k, sample: augment(sample, np.random.default_rng({seed}))"
    return [(READ, f"dataset.shuffle().map(read).map_with_index({drawn})")], dense.CROPS


def optimizer(words):
    """Another optimizer of the same model."""
    return [(ADAM, words)], dense.LOSS


PLANTS = {
    **dense.SHARED,
    # the network
    "a ReLU left out": ([("self.conv2(nnx.relu(self.norm2(y)))", "self.conv2(self.norm2(y))")], dense.GRADIENT),
    "the last ReLU left out": (
        [("nnx.relu(self.norm5(x)).mean((1, 2))", "self.norm5(x).mean((1, 2))")],
        dense.GRADIENT,
    ),
    "maximum for the average": ([("nnx.avg_pool(self.conv", "nnx.max_pool(self.conv")], dense.GRADIENT),
    "epsilon of 1e-3": (
        [("self.norm0 = norm(64, rngs)", "self.norm0 = " + BATCH_NORM.format(64, 0.9, 1e-3))],
        dense.GRADIENT,
    ),
    "momentum the other way round": (
        [("self.norm5 = norm(width, rngs)", "self.norm5 = " + BATCH_NORM.format("width", 0.1, 1e-5))],
        dense.MEANS,
    ),
    "a pooling that pads as SAME does": ([("padding=((1, 1), (1, 1)))", 'padding="SAME")')], dense.GRADIENT),
    "a convolution that pads as SAME does": ([("strides=2, padding=3)", 'strides=2, padding="SAME")')], dense.GRADIENT),
    "new maps before the old ones": ([("concatenate([x, y]", "concatenate([y, x]")], dense.GRADIENT),
    "a layer that reads the maps in another order": (
        [("self.norm1(x)", "self.norm1(jnp.roll(x, 32, axis=-1))")],
        dense.GRADIENT,
    ),
    # the loader
    "never mirrored": ([("if rng.random() < 0.5", "if rng.random() < 0")], dense.CROPS),
    "always the middle": ([(OFFSETS, "2 * [(image.shape[0] - CROP) // 2]")], dense.CROPS),
    "the last offset left out": ([("image.shape[0] - CROP + 1", "image.shape[0] - CROP")], dense.CROPS),
    "one offset for both sides": ([(OFFSETS, "2 * [rng.integers(image.shape[0] - CROP + 1)]")], dense.CROPS),
    "one crop for a batch": seeded("k // batch_size"),
    "the same draws in all workers": seeded("[k // batch_size // WORKERS, k % batch_size]"),
    "the same crops in every epoch": seeded("[1, k % len(paths)]"),
    "files not shuffled": ([("dataset.shuffle()", "dataset")], dense.ORDER),
    "files in the same order in every epoch": ([(".repeat()", ".repeat(reseed_each_epoch=False)")], dense.ORDER),
    "normalized twice": ([(NORMALIZED, f"({NORMALIZED} - MEAN) / DEVIATION")], dense.PIXELS),
    "evaluation through the training transform": ([(".map(cut_middle)", ".random_map(augment)")], dense.PIXELS),
    "findings of the next file": ([(SAMPLES, SAMPLES.replace("findings", "np.roll(findings, -1, 0)"))], dense.FINDINGS),
    "last partial batch dropped": (
        [(".batch(batch_size).repeat()", ".batch(batch_size, drop_remainder=True).repeat()")],
        dense.FILES,
    ),
    # loss and training
    "loss summed": ([(MEAN_LOSS, MEAN_LOSS.replace("mean", "sum"))], dense.GRADIENT),
    "last partial batch dropped in training": (
        [(LOSSES, LOSSES.replace("batches]", "batches if len(x) == BATCH_SIZE]"))],
        r"train\(\) gave 20 losses; expected: 21",
    ),
    "the update lost, as with jax.jit": ([('@nnx.jit(donate_argnames=("model", "optimizer"))\ndef train_step', "@jax.jit\ndef train_step")], dense.LOSS),
    "another beta": optimizer("optax.adam(LEARNING_RATE, b2=0.99)"),
    "a rate that falls": optimizer("optax.adam(optax.exponential_decay(LEARNING_RATE, 1, 0.9))"),
    "weight decay": optimizer("optax.chain(optax.add_decayed_weights(0.01), optax.adam(LEARNING_RATE))"),
    "the blocks not trained": (
        [
            (
                "(model, adam, wrt=nnx.Param)",
                '(model, adam, wrt=nnx.All(nnx.Param, nnx.Not(nnx.PathContains("layers"))))',
            )
        ],
        dense.LOSS,
    ),
    # evaluation
    "the batch's own statistics in evaluation": (
        [("use_running_average=True", "use_running_average=False")],
        dense.PROBABILITIES,
    ),
    "areas over all findings at once": (
        [
            (
                "roc_auc_score(findings[:, k], probabilities[:, k])",
                "roc_auc_score(findings.ravel(), probabilities.ravel())",
            )
        ],
        dense.AREA,
    ),
    # devices
    "gradients summed over devices": ([(ON_DEVICES, SUMMED)], dense.DEVICES),
    # the lesson's own run
    "half of the mini-batches in the lesson's run": (
        [("itertools.islice(train_batches, steps)", "itertools.islice(train_batches, (steps + 1) // 2)")],
        dense.STEPS,
    ),
    "areas that are too high in the lesson's run": (
        [(HISTORY, "history.append((losses, {name: area + 0.05 for name, area in areas.items()}))")],
        dense.SHOWN,
    ),
    # no mistakes
    "files read by threads in place of processes": (
        [(".mp_prefetch(grain.MultiprocessingOptions(num_workers=WORKERS))", "")],
        "",
    ),
}
