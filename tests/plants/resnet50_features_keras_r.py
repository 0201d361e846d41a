"""Mistakes planted in resnet50_features' lesson in R: see resnet50_features.py and resnet50_features_keras.py."""

from tests.plants import resnet50_features as shared
from tests.plants.resnet50_features import AFTER, IMAGES, LOGITS, SHAPE, TIMED, first

NORM = "layers$BatchNormalization(momentum = 0.99, epsilon = 1e-3, name = name)"
CONV1 = 'y <- layers$Conv2D(64L, 7L, strides = 2L, name = "conv1")(layers$ZeroPadding2D(3L)(start))'
POOL = 'y <- layers$ZeroPadding2D(1L)(ops$relu(batch_norm("bn_conv1")(y)))'
FIRST = 'paste0(name, "_branch2a"), strides = strides'
SECOND = 'paste0(name, "_branch2b"), padding = "same"'
ASSIGN = "for (variable in model$weights) variable$assign(arrays[[variable$path]])\n"
FLIP = "np$flip(photos, 3L)"
SUM = "ops$relu(ops$add(y, shortcut))"
MEAN = "layers$GlobalAveragePooling2D()(x)"
STACKED = "  do.call(rbind, lapply(batches, body$predict_on_batch))\n"
LOADED = "data <- imagenet_samples$load(DATA)\n"
EMBEDDINGS, PREDICTED = "embeddings <- features(model, x)\n", 'ties.method = "first") - 1L\ncat(dim'


def everywhere(condition, change):
    """All arrays for which ``condition`` holds are changed as they are loaded: ``w``, an R array."""
    loop = "for (variable in model$weights) {{\n    w <- py_to_r(arrays[[variable$path]])\n    variable$assign(if ({}) {} else w)\n  }}\n"
    return [(ASSIGN, loop.format(condition, change))]


def weight(name, change):
    """One of Keras' arrays is changed."""
    return everywhere('variable$path == "{}"'.format(name), change)


def training(condition):
    """A BatchNorm for which ``condition`` holds normalizes with its mini-batch in inference, too."""
    always = "function(y) ops$add(ops$multiply(ops$divide(ops$subtract(y, ops$mean(y, list(0L, 1L, 2L))), ops$std(y, list(0L, 1L, 2L))), 1), ops$multiply(0, layer(y)))"
    return [("batch_norm <- function(name) " + NORM, "batch_norm <- function(name) {{\n  layer <- {}\n  if ({}) {} else layer\n}}".format(NORM, condition, always))]


def in_r(text, replacement):
    """A change of what the lessons in Python share: the statement is executed on the same object."""
    statement = replacement[len(text) :].strip()
    return LOADED, LOADED + 'py_eval(r"---(lambda data: exec({!r}))---")(data)\n'.format(statement)


PLANTS = {
    "one layer's epsilon is PyTorch's default": ([(NORM, NORM.replace("1e-3", 'if (name == "bn3b_branch2b") 1e-5 else 1e-3'))], first("stage3")),
    "every epsilon is keras.applications'": ([("epsilon = 1e-3", "epsilon = 1.001e-5")], first("stage2")),
    "one bias dropped": (weight("res4c_branch2b/bias", "0 * w"), first("stage4")),
    "one kernel rounded to 11 bits, as TF32 does": (weight("res3b_branch2b/kernel", "signif(w, 4)"), first("stage3")),
    "red first": ([(FLIP, "photos")], IMAGES),
    "mean in the order red, green, blue": ([("c(103.939, 116.779, 123.68)", "c(123.68, 116.779, 103.939)")], IMAGES),
    "the stride in the 3x3 convolution": ([(FIRST, FIRST[: -len(", strides = strides")]), (SECOND, SECOND + ", strides = strides")], first("stage3")),
    "asymmetric padding of the first convolution": (
        [(CONV1, 'y <- layers$Conv2D(64L, 7L, strides = 2L, padding = "same", name = "conv1")(start)')],
        first("stem"),
    ),
    "asymmetric padding of the max pooling": (
        [(POOL, 'y <- ops$relu(batch_norm("bn_conv1")(y))'), ("MaxPooling2D(3L, strides = 2L)", 'MaxPooling2D(3L, strides = 2L, padding = "same")')],
        first("stem"),
    ),
    "the running variance of one layer unbiased, of 32 images": (weight("bn5b_branch2b/moving_variance", "w * 1568 / 1567"), first("stage5")),  # 32 * 7 * 7
    "BatchNorm in training mode": (training("TRUE"), first("stem")),
    "one BatchNorm in training mode": (training('name == "bn2a_branch1"'), first("stage2")),
    "maximum instead of mean": ([(MEAN, "layers$GlobalMaxPooling2D()(x)")], AFTER),
    "ReLU before the addition": ([(SUM, "ops$add(ops$relu(y), shortcut)")], first("stage2")),
    "no ReLU after the addition": ([(SUM, "ops$add(y, shortcut)")], first("stage2")),
    "kernels turned by 180 degrees": (everywhere("length(dim(w)) == 4", "w[dim(w)[1]:1, dim(w)[2]:1, , , drop = FALSE]"), first("stem")),
    "height and width of the kernels exchanged": (everywhere("length(dim(w)) == 4", "aperm(w, c(2, 1, 3, 4))"), first("stem")),
    "gamma and beta exchanged": (
        [(ASSIGN, 'for (variable in model$weights) {\n    variable$assign(arrays[[if (grepl("gamma$", variable$path)) sub("gamma$", "beta", variable$path) else sub("beta$", "gamma", variable$path)]])\n  }\n')],
        first("stem"),
    ),
    "the standard deviation taken for the variance": (everywhere('grepl("moving_variance", variable$path)', "sqrt(w)"), first("stem")),
    "the dense layer's bias dropped": (weight("fc1000/bias", "0 * w"), LOGITS),
    "a softmax at the end": ([('layers$Dense(1000L, name', 'layers$Dense(1000L, activation = "softmax", name')], LOGITS),
    "a kernel filled by rows, as Python's arrays are": (weight("res2a_branch2b/kernel", "aperm(array(w, rev(dim(w))))"), first("stage2")),
    "last partial batch dropped": ([("seq(0L, py_len(x) - 1L, by = BATCH_SIZE)", "seq(0L, max(0L, py_len(x) - BATCH_SIZE), by = BATCH_SIZE)")], SHAPE),
    "features of an earlier call": (
        [("features <- function(model, x) {", "kept <- list()\n\nfeatures <- function(model, x) {"), (STACKED, "  size <- as.character(py_len(x))\n  if (is.null(kept[[size]])) kept[[size]] <<- " + STACKED.strip() + "\n  kept[[size]]\n")],
        TIMED,
    ),
    **{name: ([in_r(*change) for change in changes], said) for name, (changes, said) in shared.SHARED.items()},
    **shared.own_run(EMBEDDINGS, PREDICTED, "load_weights(model, resnet50$load(DATA))"),
}
for name, change in (
    ("features of the lesson's run scaled", (EMBEDDINGS, EMBEDDINGS + "embeddings <- embeddings * 1.001\n")),
    ("classes of the lesson's run counted from 1", (PREDICTED, PREDICTED.replace(" - 1L\n", "\n"))),
):
    PLANTS[name] = [change], PLANTS[name][1]
