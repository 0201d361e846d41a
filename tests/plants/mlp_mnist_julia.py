"""Mistakes planted in the lesson notebooks/mlp_mnist/julia.ipynb, in each of its four forms: {name: (changes, what must be said)}."""

from tests.plants import cnn_cifar10 as cnn
from tests.plants import mlp_mnist as mlp

FORMS = "first", "inplace", "batched", "batched-inplace"
EVALUATION, SHARE = [said.replace("310", "140") for said in (cnn.EVALUATION, cnn.SHARE)]
LOADED = "data = load_mnist(DATA, TRAIN_SAMPLES, TEST_SAMPLES)\n"
MEAN = "d2 .*= a2 .* (1 .- a2) ./ n"
SUMS = {
    "first": [("Network(total.W1 / n, total.b1 / n, total.W2 / n, total.b2 / n)", "total")],
    "inplace": [(MEAN, MEAN[: -len(" ./ n")])],
    "batched": [(".* (1 .- a2) ./ length(batch)", ".* (1 .- a2)")],
}
SUMS["batched-inplace"] = SUMS["inplace"]
# There are no square matrices here: only a reshape takes the place of a transposition.
TRANSPOSED = {
    "first": [("d1 = model.W2' * d2", "d1 = reshape(model.W2, 30, 10) * d2")],
    "inplace": [("mul!(d1, model.W2', d2)", "mul!(d1, reshape(model.W2, 30, 10), d2)")],
    "batched": [("d1 = (model.W2' * d2)", "d1 = (reshape(model.W2, 30, 10) * d2)")],
}
TRANSPOSED["batched-inplace"] = TRANSPOSED["inplace"]
SLOPE = {
    "first": [("* (1 - sigmoid(z))", "* (1 - sigmoid(z)^2)")],
    "inplace": [("d1 .*= a1 .* (1 .- a1)", "d1 .*= 1 .- a1 .^ 2")],
    "batched": [(" .* a1 .* (1 .- a1)", " .* (1 .- a1 .^ 2)")],
}
SLOPE["batched-inplace"] = SLOPE["inplace"]
ORDER = {
    "first": [("for k in batch\n", "for k in 1:length(batch)\n")],
    "inplace": [("for k in batch\n", "for k in 1:length(batch)\n")],
    "batched": [("x[:, batch], y[:, batch]", "x[:, 1:length(batch)], y[:, 1:length(batch)]")],
    "batched-inplace": [("enumerate(batch)", "enumerate(1:length(batch))")],
}
LABELS = {
    "first": [("y[:, k])", "y[:, batch[end]])")],
    "inplace": [("view(y, :, k)", "view(y, :, batch[end])")],
    "batched": [("y[:, batch]", "y[:, reverse(batch)]")],
    "batched-inplace": [("gather!(ys, y, batch)", "gather!(ys, y, reverse(batch))")],
}
STALE = {
    "inplace": [("fill!(grad, 0)", "nothing")],
    "batched-inplace": [("mul!(grads.W1, d1, xs')", "mul!(grads.W1, d1, xs', 1, 1)")],
}
PARTITION = "Iterators.partition(order, batch_size)"
SHORT = "order[1:batch_size * fld(length(order), batch_size)]"
RATE = {form: [("form, model, optimizer, grads)\n    model.W1 .-= optimizer.learning_rate .* grads.W1", "form, model, optimizer, grads)\n    model.W1 .-= optimizer.learning_rate .* grads.W1 ./ 10")] for form in FORMS}
RATE["first"] = [("model.W1 - optimizer.learning_rate * grads.W1", "model.W1 - optimizer.learning_rate * grads.W1 / 10")]


def of(form):
    """The plants of one form, which is a setting of the lesson."""
    chosen = [('FORM = "inplace"', 'FORM = "{}"'.format(form))]
    plants = {
        "the sum of a batch's gradients for their mean": (SUMS[form], cnn.GRADIENT),
        "a transposed operand": (TRANSPOSED[form], "gradient of hidden"),
        "a sigmoid's slope that is wrong": (SLOPE[form], cnn.GRADIENT),
        "the order of the samples ignored": (ORDER[form], cnn.FIRST_LOSS),
        "labels of a batch in another order": (LABELS[form], cnn.FIRST_LOSS + "|gradient of"),
        "a rate that is a tenth for one tensor": (RATE[form], cnn.SECOND_LOSS),
        "the last step left out": ([(PARTITION, "Iterators.partition(order[1:end - batch_size ÷ 2], batch_size)")], "the first wrong loss at step 20"),
        "last partial batch dropped in training": ([(PARTITION, PARTITION.replace("order", SHORT)), ("zeros(cld(", "zeros(fld(")], cnn.SHORT_TRAINING),
    }
    if form in STALE:
        plants["gradients that add up in a buffer"] = (STALE[form], "the first wrong loss at step 2")
    return {"{}, {}".format(name, form): (chosen + changes, said) for name, (changes, said) in plants.items()}


def data(change, expected=cnn.SAMPLES):
    """A plant of what Data does with the arrays of the data set."""
    return [(LOADED, LOADED + change + "\n")], expected


SWAPPED = "data = merge(data, (x_train = permutedims(data.x_train, (2, 1, 3)), x_test = permutedims(data.x_test, (2, 1, 3))))"
SHUFFLED = """
mixed = randperm(length(data.y_train))
data = merge(data, (x_train = data.x_train[:, :, mixed], y_train = data.y_train[mixed]))
"""

PREDICT = "predict(model, x) = [argmax(a) - 1 for a in eachcol(forward("
AVERAGED = """
averaged(a, b) = Network(((getfield(a, name) .+ getfield(b, name)) ./ 2 for name in fieldnames(Network))...)
""" + PREDICT + "@isdefined(earlier) ? averaged(model, earlier) : "

PLANTS = {
    **{name: plant for form in FORMS for name, plant in of(form).items()},
    "another rate by default": cnn.default("LEARNING_RATE", 1.25, 1.0, cnn.SECOND_LOSS),
    "the rate divided by the batch": ([("SGD(LEARNING_RATE)", "SGD(LEARNING_RATE / BATCH_SIZE)")], cnn.SECOND_LOSS),
    "one update in five left out": ([("    update!(form, model, optimizer, grads)\n", "    batch[1] % 5 == 0 || update!(form, model, optimizer, grads)\n")], "the first wrong loss at step"),
    "tanh in the hidden layer": ([("layer!(a1, model.W1, model.b1, xk)", "a1 .= tanh.(model.W1 * xk .+ model.b1)")], cnn.GRADIENT),
    "Float32 samples": ([("784, :) ./ 255 ", "784, :) ./ 255f0 ")], cnn.SAMPLES + "|gradient of"),
    "a training image altered behind the proof's": data("data.x_train[:, :, end] .÷= 2"),
    "a training label altered behind the proof's": data("data.y_train[end] = 9 - data.y_train[end]"),
    "a test image altered behind the proof's": data("data.x_test[:, :, end] .= 255 .- data.x_test[:, :, end]"),
    "a test label altered behind the proof's": data("data.y_test[end] = 9 - data.y_test[end]"),
    "a training image taken twice": data("data.x_train[:, :, end], data.y_train[end] = data.x_train[:, :, 1], data.y_train[1]", "some samples twice and lacks others"),
    "width and height swapped in Data": data(SWAPPED),
    "the training set shuffled, labels following: no mistake": data(SHUFFLED, ""),
    "averaged weights in predict": (
        [(PREDICT, AVERAGED), ("    losses = zeros(cld(", "    global earlier = deepcopy(model)\n    losses = zeros(cld(")],
        EVALUATION,
    ),
    "classes of the smallest output": ([("argmax(a) - 1", "argmin(a) - 1")], EVALUATION),
    "classes counted from 1": ([("argmax(a) - 1", "argmax(a)")], EVALUATION),
    "the accuracy of the first 100 samples": ([("mean(predict(model, x) .== labels)", "mean(predict(model, x)[1:100] .== labels[1:100])")], SHARE),
    cnn.HALF: ([("randperm(rng, size(x_train, 2)))", "randperm(rng, size(x_train, 2))[1:2:end])")], mlp.STEPS),
    cnn.LABELS: ([("optimizer, x_train, y_train, randperm", "optimizer, x_train, circshift(y_train, (0, 7)), randperm")], mlp.LEARNED),
    cnn.THREE_POINTS: ([("(losses, train_accuracy, test_accuracy)", "(losses, train_accuracy, test_accuracy + 0.03)")], cnn.COUNT),
}
