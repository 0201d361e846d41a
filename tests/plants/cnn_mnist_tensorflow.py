"""Mistakes planted in cnn_mnist's TensorFlow notebook: {name: (changes of the text, what must be said)}."""

LOSS = "tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))"
STEP = "tf.gather(x, i), tf.gather(y, i)) for i in batches]"
IN_FP64 = ('PRECISION = "fp32"     #', 'PRECISION = "fp64"     #')
FIRST, SECOND = "layers.MaxPooling2D(2),  # (N, 13, 13, 16)", "layers.MaxPooling2D(2),  # (N, 6, 6, 8)"
LATER = r"loss at step \d+:|change of"

PLANTS = {
    "the activation of one layer exchanged": (
        [(SECOND + "\n        layers.ReLU()", SECOND + "\n        layers.LeakyReLU()")],
        r"gradient of",
    ),
    "no activation in one layer": ([(FIRST + "\n        layers.ReLU(),", FIRST)], r"gradient of"),
    "the mean over the batch taken twice": (
        [(LOSS, LOSS + " / tf.cast(tf.shape(labels)[0], logits.dtype)")],
        r"gradient of",
    ),
    "pooling with padding, of the same size": (
        [(SECOND, "layers.ZeroPadding2D(((1, 0), (1, 0))), layers.MaxPooling2D(2),")],
        r"gradient of",
    ),
    "pooling with padding, of the size of TensorFlow's own": (
        [(FIRST, 'layers.MaxPooling2D(2, padding="same"), layers.Cropping2D(((1, 0), (1, 0))),')],
        r"gradient of",
    ),
    "average pooling": ([(FIRST, FIRST.replace("Max", "Average"))], r"gradient of"),
    "the inputs of the model left in float32 in fp64": ([IN_FP64, ("set_floatx(dtype)", 'set_floatx("float32")')], r"gradient of"),
    "the policy left in float32 in fp64": (
        [IN_FP64, ("set_dtype_policy(dtype)", 'set_dtype_policy("float32")')],
        r"gradient of",
    ),
    "float32 arithmetic in fp64": (
        [IN_FP64, ('"fp64": "float64"', '"fp64": "float32"')],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "one layer in float32 in fp64": (
        [IN_FP64, ("layers.Conv2D(8, 2)", 'layers.Conv2D(8, 2, dtype="float32")')],
        r"gradient of",
    ),
    "the same order in every epoch": (
        [("x, y, order) for order in reference.orders]", "x, y, reference.order) for _ in reference.orders]")],
        r"loss at step 2:",
    ),
    "the same order in every epoch of the run": (
        [("x_train, y_train, order))", "x_train, y_train, np.arange(len(x_train))))")],
        r"the run cell must hand each order",
    ),
    "labels in another order": ([(STEP, STEP.replace("tf.gather(y, i)", "y[:len(i)]"))], r"loss at step 0:"),
    "the short last batch dropped": (
        [(STEP, STEP.replace("in batches", "in batches if len(i) in (8, BATCH_SIZE)"))],
        r"10 losses were handed in, the reference has 20",
    ),
    "epsilon inside the bias correction": ([("1e-8 * tf.sqrt(1 - power2)", "1e-8")], LATER),
    "Keras' epsilon": ([("epsilon = 1e-8", "epsilon = 1e-7")], LATER),
    "another beta": ([("beta2=0.999", "beta2=0.99")], LATER),
    "the count of steps one ahead": ([("tf.Variable(0, dtype=dtype)", "tf.Variable(1, dtype=dtype)")], LATER),
    "flattened in PyTorch's order": (
        [("layers.Flatten(),", "layers.Permute((3, 1, 2)), layers.Flatten(),")],
        r"gradient of",
    ),
    "width and height exchanged": (
        [("tf.cast(images[..., None]", "tf.cast(images.transpose(0, 2, 1)[..., None]")],
        r"gradient of",
    ),
    "pixels divided by 256": ([("dtype) / 255", "dtype) / 256")], r"gradient of"),
    "the accuracy of a part": (
        [("predict(model, x) == y).numpy() / len(y)", "predict(model, x[:100]) == y[:100]).numpy() / 100")],
        r"accuracy 0\.\d+, reference",
    ),
    "classes of the smallest output": ([("tf.argmax(", "tf.argmin(")], r"[1-9]\d* of 150 classes differ"),
}
