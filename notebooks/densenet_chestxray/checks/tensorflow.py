# TensorFlow's lesson as the referee needs it: NumPy arrays in and out, in the layout of the shared weights.

# %% tags=["check"]
import contextlib
from unittest import mock


class check:
    variance, shared = "biased", False
    made = (None,)
    proven = None  # the optimizer of the proof's steps

    def names():  # of the lesson's weights, in their order
        def normalization(name):
            return [f"{name}.{kind}" for kind in ("weight", "bias", "running_mean", "running_var")]

        found = ["conv0.weight", *normalization("norm0")]
        for block, layers in enumerate((6, 12, 24, 16), 1):
            if block > 1:
                found += [*normalization(f"transition{block - 1}.norm"), f"transition{block - 1}.conv.weight"]
            for layer in range(1, layers + 1):
                name = f"denseblock{block}.denselayer{layer}"
                for one in "12":
                    found += [*normalization(f"{name}.norm{one}"), f"{name}.conv{one}.weight"]
        return [*found, *normalization("norm5"), "classifier.weight", "classifier.bias"]

    def trained():
        return [name for name in check.names() if "running" not in name]

    def turned(w):  # (in, out) and (height, width, in, out) to (out, in) and (out, in, height, width)
        return w.transpose(3, 2, 0, 1) if w.ndim == 4 else w.T

    def shared_layout(names, arrays):
        return {name: check.turned(np.asarray(w)) for name, w in zip(names, arrays, strict=True)}

    def own_layout(weights):
        arrays = [weights[name] for name in check.names()]
        return [w.transpose(2, 3, 1, 0) if w.ndim == 4 else w.T for w in arrays]

    def tensors(x, y):
        with tf.device("CPU"):  # where tf.data reads them; from a GPU they would be copied in every epoch
            return tf.constant(x.transpose(0, 2, 3, 1)), tf.constant(y)

    def load(weights):
        model.set_weights(check.own_layout(weights))

    def read():
        return check.shared_layout(check.names(), model.get_weights())

    def gradients(x, y):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x, training=True))
        return check.shared_layout(check.trained(), tape.gradient(loss, model.trainable_variables))

    def batched(x, y, order, size=None):  # gathers each mini-batch when its turn comes
        parts = tf.data.Dataset.from_tensor_slices(order).batch(size or BATCH_SIZE)
        return parts.map(lambda part: (tf.gather(x, part), tf.gather(y, part)))

    def exact():  # Keras adds an epsilon of 1e-7 before it corrects Adam's bias, the reference 1e-8 after it
        apply = optimizer.apply
        if tf.keras.config.floatx() == "float64":  # numbers, but not tensors, are rounded to float32 in the correction
            optimizer.beta_1, optimizer.beta_2 = tf.constant([optimizer.beta_1, optimizer.beta_2], tf.float64)

        def corrected(grads, variables):
            step = tf.cast(optimizer.iterations + 1, grads[0].dtype)
            optimizer.epsilon = 1e-8 * tf.sqrt(1 - optimizer.beta_2**step)
            apply(grads, variables)

        optimizer.apply, check.proven = corrected, optimizer

    def train(x, y, order):
        quick = optimizer is check.proven  # the proof spends its time on compiling: its steps go without Grappler
        tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": quick})
        losses = train_epoch(model, optimizer, check.batched(x, y, order))
        tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": False})
        return losses

    def train_files(paths, y):
        return train_epoch(model, optimizer, loader(paths, y, training=True))

    def predict(x):
        return predict(model, check.batched(x, x, np.arange(len(x))))

    def predict_files(paths, y):
        return predict(model, loader(paths, y, training=False))

    def batches(paths, y, training):
        return loader(paths, y, training)

    def as_arrays(x, y):
        return x.numpy().transpose(0, 3, 1, 2), y.numpy()

    def score(y, probabilities):
        return auc(y, probabilities)

    def parallel():  # the lesson's model and optimizer on several devices, made once for each of its models
        if check.made[0] is not model:
            check.made = model, *make_parallel()
            check.made[1].set_weights(model.get_weights())
        return check.made[1:]

    def train_devices(x, y, order, size):
        return train_on_devices(*check.parallel(), check.batched(x, y, order, size))

    def train_files_devices(paths, y, size):
        return train_on_devices(*check.parallel(), loader(paths, y, training=True, size=size))

    def devices(x, y):  # eagerly: compiling the step for two devices takes most of a minute
        tf.config.run_functions_eagerly(True)
        try:
            with mock.patch.object(parallel_step, "get_concrete_function"):
                return check.devices_compiled(x, y)
        finally:
            tf.config.run_functions_eagerly(False)
            # As in TensorFlow's own tests: else the next strategy's sums meet this one's.
            type(strategy)._collective_key_base += 100_000

    def devices_compiled(x, y):  # after one step Adam's first moment is a tenth of the gradient
        parallel, optimizer = check.parallel()
        train_on_devices(parallel, optimizer, check.batched(x, y, np.arange(len(x))))
        return check.shared_layout(check.trained(), [m.numpy() / (1 - 0.9) for m in optimizer._momentums])

    @contextlib.contextmanager
    def double():
        def compute_in(dtype):
            tf.keras.config.set_floatx(dtype)
            tf.keras.config.set_dtype_policy(dtype)

        compute_in("float64")
        yield
        compute_in("float32")

    def synchronize():
        tf.test.experimental.sync_devices()

    def peak_memory():
        gpus = tf.config.list_logical_devices("GPU")
        return tf.config.experimental.get_memory_info("GPU:0")["peak"] if gpus else None
