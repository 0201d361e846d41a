# Keras' lesson as the referee needs it, on each backend: NumPy arrays in and out, in the layout of the shared weights.

# %% tags=["check"]
import contextlib
import functools
import gc
from concurrent import futures
from unittest import mock

from keras.src.backend.common import dtypes
from keras.src.trainers.data_adapters.py_dataset_adapter import PyDatasetAdapter


class Memory(keras.utils.PyDataset):  # arrays, of which each mini-batch is gathered when its turn comes
    def __init__(self, arrays, order, size):
        super().__init__()
        self.arrays, self.order, self.size = arrays, order, size

    def __len__(self):
        return math.ceil(len(self.order) / self.size)

    def __getitem__(self, number):
        chosen = self.order[number * self.size : (number + 1) * self.size]
        return tuple(array[chosen] for array in self.arrays)


class check:
    variance, shared = "biased", BACKEND == "jax"
    made = (None,)
    proven = None  # the model of the proof's steps
    steps = {}  # compiled by JAX for the proof, by their text and the size of a mini-batch
    streams = {}  # (the lesson's class, its files, in any order): fit's view of its dataset, which goes on from epoch to epoch

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

    def shared_layout(names, arrays):  # from (in, out) and (height, width, in, out)
        arrays = {name: keras.ops.convert_to_numpy(w) for name, w in zip(names, arrays, strict=True)}
        return {name: w.transpose(3, 2, 0, 1).copy() if w.ndim == 4 else w.T.copy() for name, w in arrays.items()}

    def own_layout(weights):
        arrays = [weights[name] for name in check.names()]
        return [w.transpose(2, 3, 1, 0) if w.ndim == 4 else w.T for w in arrays]

    def tensors(x, y):
        return np.moveaxis(x, 1, AXIS), y

    def load(weights):
        model.set_weights(check.own_layout(weights))

    def read():
        return check.shared_layout(check.names(), model.get_weights())

    def moments(model):  # after one step Adam's first moment is a tenth of the gradient
        found = check.shared_layout(check.trained(), model.optimizer._momentums)
        return {name: moment / (1 - 0.9) for name, moment in found.items()}

    # As JAX's, but XLA optimizes little, and compiles the same step of two models once. later: the sizes of mini-batches
    # that come after those of BATCH_SIZE.
    def jit(step, later=(), **options):
        ready = {}  # by the size of a mini-batch

        def lowered(state, data, size):
            gc.disable()  # Python looks for garbage in half of the time that JAX traces
            try:
                return jax.jit(step, **options).lower(state, jax.tree.map(lambda array: array[:size], data))
            finally:
                gc.enable()

        def run(state, data):
            size = len(data[0])
            if size not in ready:
                sizes = (size, *later) if size == BATCH_SIZE else (size,)
                first = lowered(state, data, size)
                text = first.as_text()
                if text not in check.steps:
                    programs = [first, *(lowered(state, data, other) for other in sizes[1:])]
                    with futures.ThreadPoolExecutor() as pool:  # XLA compiles on one core
                        check.steps[text] = dict(zip(sizes, pool.map(check.compiled, programs)))
                ready.update(check.steps[text])
            return ready[size](state, data)

        return run

    def compiled(program):
        options = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
        return program.compile({**options, "xla_cpu_use_fusion_emitters": False})

    def quickly(model):  # the steps of the proof alone: it spends its time on compiling
        if BACKEND == "jax":
            step = functools.partial(check.jit, later=(BATCH_SIZE // 2,))  # the proof's last mini-batch
            for jit, make in (step, model.make_train_function), (check.jit, model.make_predict_function):
                with mock.patch.object(trainer, "jit", jit):
                    make()
        check.proven = model

    def gradients(x, y):
        if BACKEND == "jax":
            check.exact()  # the losses' step, then; to the first moment it is no matter
        model.run_eagerly = BACKEND == "tensorflow"  # a graph for one step would take longer
        model.fit(x, y, batch_size=len(x), verbose=0)
        model.run_eagerly = False
        return check.moments(model)

    def exact():  # Keras adds an epsilon of 1e-7 before it corrects Adam's bias, the reference 1e-8 after it
        optimizer = model.optimizer
        apply, dtype = optimizer.apply, keras.config.floatx()
        betas = [keras.ops.convert_to_tensor(np.asarray(beta, dtype)) for beta in (optimizer.beta_1, optimizer.beta_2)]
        if dtype == "float64":  # numbers, but not tensors, are rounded to float32 in the correction
            optimizer.beta_1, optimizer.beta_2 = betas

        def corrected(grads, variables=None):
            step = keras.ops.cast(optimizer.iterations + 1, dtype)
            optimizer.epsilon = 1e-8 * keras.ops.sqrt(1 - betas[1] ** step)
            if BACKEND == "torch":
                optimizer.epsilon = float(optimizer.epsilon)
            apply(grads, variables)

        optimizer.apply = corrected
        optimizer.build(model.trainable_variables)  # on TensorFlow the step would be traced twice without the moments
        check.quickly(model)

    def fit(model, dataset, samples, size):  # logs have the mean loss so far; its differences are the batches'
        means = {}
        collect = keras.callbacks.LambdaCallback(
            on_train_batch_end=lambda batch, logs: means.update({batch: float(logs["loss"])}), async_safe=True
        )
        if BACKEND == "tensorflow":  # without Grappler it compiles more quickly
            tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": model is check.proven})
        model.fit(dataset, shuffle=False, verbose=0, callbacks=[collect])
        seen = np.minimum(size * np.arange(1, len(means) + 1), samples)
        return np.diff(seen * [means[batch] for batch in sorted(means)], prepend=0) / np.diff(seen, prepend=0)

    def train(x, y, order):
        return check.fit(model, Memory((x, y), order, BATCH_SIZE), len(order), BATCH_SIZE)

    def train_files(paths, y):
        return check.fit(model, XRays(paths, y, training=True), len(paths), BATCH_SIZE)

    def parallel():  # the lesson's model on several devices, made once for each of its models
        if check.made[0] is not model:
            check.made = model, make_parallel()
            check.made[1].set_weights(model.get_weights())
        return check.made[1]

    def train_devices(x, y, order, size):
        with distribution.scope():
            return check.fit(check.parallel(), Memory((x, y), order, size), len(order), size)

    def train_files_devices(paths, y, size):
        with distribution.scope():
            return check.fit(check.parallel(), XRays(paths, y, training=True, size=size), len(paths), size)

    def predict(x):  # the lesson's datasets are of files
        return predict(model, Memory((x,), np.arange(len(x)), BATCH_SIZE))

    def predict_files(paths, y):
        return predict(model, XRays(paths, y, training=False))

    def batches(paths, y, training):
        key = XRays, tuple(sorted(paths)), training
        if key not in check.streams:
            check.streams[key] = PyDatasetAdapter(XRays(paths, y, training))
        stream = check.streams[key]
        stream.on_epoch_begin()
        try:
            yield from stream.get_numpy_iterator()
        finally:  # whoever asked may want no more
            stream.on_epoch_end()

    def as_arrays(x, y):
        return np.moveaxis(x, AXIS, 1), y

    def score(y, probabilities):
        return auc(y, probabilities)

    def devices(x, y):  # on TensorFlow eagerly: compiling the step for two devices takes most of a minute
        eagerly = BACKEND == "tensorflow"
        try:
            return check.devices_compiled(x, y, eagerly)
        finally:
            if eagerly:  # as in TensorFlow's own tests: else the next strategy's sums meet this one's
                type(distribution)._collective_key_base += 100_000

    def devices_compiled(x, y, eagerly=False):
        parallel = check.parallel()
        with distribution.scope():
            parallel.optimizer.build(parallel.trainable_variables)  # as in exact
            parallel.run_eagerly = eagerly
            check.quickly(parallel)
            parallel.fit(x, y, batch_size=len(x), shuffle=False, verbose=0)
            parallel.run_eagerly = False
        return check.moments(parallel)

    @contextlib.contextmanager
    def double():
        def compute_in(dtype):
            keras.config.set_floatx(dtype)
            keras.config.set_dtype_policy(dtype)

        compute_in("float64")
        # On JAX Keras computes means and losses in float32 at most.
        exact = jax.enable_x64(True) if BACKEND == "jax" else contextlib.nullcontext()
        with exact, mock.patch.dict(dtypes.BIT64_TO_BIT32_DTYPE, float64="float64"):
            yield
        compute_in("float32")

    def synchronize():
        keras.ops.convert_to_numpy(model.weights[0])

    def peak_memory():
        if BACKEND == "tensorflow" and tf.config.list_logical_devices("GPU"):
            return tf.config.experimental.get_memory_info("GPU:0")["peak"]
        if BACKEND == "torch" and torch.cuda.is_available():
            return torch.cuda.max_memory_allocated()
        return (jax.devices()[0].memory_stats() or {}).get("peak_bytes_in_use") if BACKEND == "jax" else None


if BACKEND == "jax":
    from keras.src.backend.jax import trainer
if BACKEND == "torch":
    import torch

    check.devices = check.devices_compiled = None  # DataParallel is for JAX alone
    check.train_devices = check.train_files_devices = None
    check.double = None  # Keras' variance is the mean square less the squared mean, which loses digits
