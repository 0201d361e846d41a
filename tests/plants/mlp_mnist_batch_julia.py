"""Mistakes planted in the lesson notebooks/mlp_mnist_batch/julia.ipynb: see mlp_mnist_batch.py and mlp_mnist_julia.py."""

from tests.plants import cnn_cifar10 as cnn
from tests.plants import mlp_mnist_batch as batch
from tests.plants import mlp_mnist_julia as julia

HIDDEN = "hidden = model.W1 * x\n"
MEAN = "    d ./= length(labels)\n"
SLOPE = "    d1 .*= hidden .> 0  # (32, N): through ReLU\n"
UPDATE = "@. w -= rate * m / (sqrt(v / second) + 1e-8)"
STEP = "    hidden, logits = forward(model, x)\n    loss, d"
PREDICT = "predict(model, x) = [argmax(logits) - 1 for logits in eachcol(forward("
AVERAGED = julia.AVERAGED.replace(julia.PREDICT, PREDICT)
DATA = {name: plant for name, plant in julia.PLANTS.items() if "behind the proof's" in name or "in Data" in name or "no mistake" in name or "taken twice" in name}

PLANTS = {
    **DATA,
    "averaged weights in predict": (
        [(PREDICT, AVERAGED), ("    hidden, logits = forward(model, x)\n", "    global earlier = deepcopy(model)\n    hidden, logits = forward(model, x)\n")],
        batch.EVALUATION,
    ),
    **batch.own_run(
        ("for epoch in 1:EPOCHS\n", "for epoch in 1:EPOCHS ÷ 2\n"),
        ("optimizer, x_train, y_train)\n    train_acc", "optimizer, x_train, circshift(y_train, 7))\n    train_acc"),
    ),
    "another rate by default": cnn.default("LEARNING_RATE", 0.001, 0.0012, batch.SECOND_LOSS),
    "Float16 in the products": ([(HIDDEN, "hidden = Float32.(Float32.(Float16.(model.W1)) * Float32.(Float16.(x)))\n")], batch.GRADIENT),
    "the sum of the gradients for their mean": ([(MEAN, "")], batch.GRADIENT),
    "the slope of ReLU left out": ([(SLOPE, "")], "gradient of hidden"),
    "no ReLU": ([("max.(hidden .+ model.b1, 0)", "hidden .+ model.b1")], batch.GRADIENT),
    "a transposed operand": ([("d1 = model.W2' * d\n", "d1 = reshape(model.W2, 32, 10) * d\n")], "gradient of hidden"),
    "labels of the batch in another order": ([("loss, d = loss_fn(logits, y)", "loss, d = loss_fn(logits, reverse(y))")], batch.FIRST_LOSS),
    "half of the digits in each step": ([(STEP, "    x, y = x[:, 1:2:end], y[1:2:end]\n" + STEP)], batch.FIRST_LOSS),
    "the loss without its mean": ([("return mean(log.(vec(total)) .- shifted[places]), d", "return sum(log.(vec(total)) .- shifted[places]), d")], batch.FIRST_LOSS),
    "last partial batch dropped in predict": ([("eachcol(forward(model, x)[2])", "eachcol(forward(model, x[:, 1:size(x, 2) ÷ 25 * 25])[2])")], batch.SHORT_PREDICTION),
    "classes of the smallest logit": ([("argmax(logits) - 1", "argmin(logits) - 1")], batch.EVALUATION),
    "classes counted from 1": ([("argmax(logits) - 1", "argmax(logits)")], batch.EVALUATION),
    "the accuracy of the first 100 samples": ([("mean(predict(model, x) .== y)", "mean(predict(model, x)[1:100] .== y[1:100])")], batch.SHARE),
    "an update without its correction": ([("optimizer.learning_rate / (1 - 0.9^optimizer.steps), 1 - 0.999^optimizer.steps", "optimizer.learning_rate, 1")], batch.SECOND_LOSS),
    "weight decay": ([(UPDATE, UPDATE + "\n        @. w *= 1 - 1e-5")], batch.LATER),
    "momentum of another size": ([("@. m += 0.1 * (g - m)", "@. m += 0.2 * (g - m)")], batch.LATER),
    "another epsilon": ([("+ 1e-8)", "+ 1e-6)")], batch.LATER),
    "the update of a step before": ([("        @. m += 0.1 * (g - m)\n", ""), (UPDATE, UPDATE + "\n        @. m += 0.1 * (g - m)")], batch.SECOND_LOSS),
}
