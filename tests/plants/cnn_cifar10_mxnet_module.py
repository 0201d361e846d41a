"""Mistakes for tests/plant.py to plant in notebooks/cnn_cifar10/mxnet_module.ipynb: see cnn_cifar10_pytorch.py."""

from tests.plants import cnn_cifar10 as cnn

WHOLE = "[:len(x) // BATCH_SIZE * BATCH_SIZE]"
RIGHT, RIGHT_OF_WHOLE = "(predict(model, x) == y)", f"(predict(model, x){WHOLE} == y{WHOLE})"
COUNT = "(predict(model, x) == y).sum().asscalar() / len(y)"
SCORE = 'model.score(mx.io.NDArrayIter(x, y, BATCH_SIZE), mx.metric.Accuracy(output_names=["softmax_output"]))[0][1]'
OPTIONS = '"momentum": momentum, "rescale_grad": 1'
PLANTS = {
    **cnn.dropouts(),
    "dropout on in evaluation": ([("p=dropout[", 'mode="always", p=dropout[')], cnn.EVALUATION),
    "last partial batch dropped in predict and evaluate": (
        [
            ("zeros, BATCH_SIZE)", 'zeros, BATCH_SIZE, last_batch_handle="discard")'),
            (RIGHT, RIGHT_OF_WHOLE),
        ],
        cnn.SHORT_PREDICTION,
    ),
    "last partial batch dropped in evaluate": (
        [(RIGHT, RIGHT_OF_WHOLE)],
        cnn.SHORT_EVALUATION,
    ),
    "padded images counted in evaluate": ([(COUNT, SCORE)], cnn.SHORT_EVALUATION),
    "last partial batch dropped in training": (
        [("for k in range(0, len(order), BATCH_SIZE)]", "for k in range(0, len(order) // BATCH_SIZE * BATCH_SIZE, BATCH_SIZE)]")],
        cnn.SHORT_TRAINING,
    ),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, to_device", "optimizer, x_train, y_train[::-1], to_device")],
        "y_train",
    ),
    "labels of a batch in another order": ([("y.take(i))", "y.take(i.sort()))")], cnn.FIRST_LOSS),
    "labels not indexed by the order": ([("y.take(i))", "y[:len(i)])")], cnn.FIRST_LOSS),
    **cnn.dampened(': learning_rate, "momentum"'),
    "Nesterov's momentum": ([('optimizer="sgd", optimizer_params=options)', 'optimizer="nag", optimizer_params=options)')], cnn.CHANGE),
    "no momentum": ([(OPTIONS, OPTIONS.replace(": momentum", ": 0.0"))], cnn.CHANGE),
    "weight decay": ([(OPTIONS, OPTIONS + ', "wd": 1e-4')], cnn.CHANGE),
    "gradients of a sum": ([(', normalization="batch"', "")], cnn.SECOND_LOSS),
    "gradients divided twice": ([(', "rescale_grad": 1', "")], cnn.SECOND_LOSS),
    "gradients divided by the full batch": ([(', normalization="batch"', ""), (', "rescale_grad": 1', "")], cnn.CHANGE),
    "the second output trained, too": ([("mx.sym.BlockGrad(value", "mx.sym.MakeLoss(value")], cnn.SECOND_LOSS),
    "softmax applied twice": ([("SoftmaxOutput(logits, label", "SoftmaxOutput(mx.sym.softmax(logits), label")], "gradient of"),
    "an activation left out": (
        [('pad=(1, 1))\n    x = mx.sym.Activation(x, act_type="relu")', "pad=(1, 1))")],
        cnn.FIRST_LOSS,
    ),
    "pooling windows that overlap": (
        [("kernel=(2, 2), stride=(2, 2))", "kernel=(3, 3), stride=(2, 2), pad=(1, 1))")],
        cnn.FIRST_LOSS,
    ),
    "width and height swapped in Data": (
        [
            ("to_device(data.x_train)", "to_device(data.x_train.swapaxes(2, 3))"),
            ("to_device(data.x_test)", "to_device(data.x_test.swapaxes(2, 3))"),
        ],
        cnn.EVALUATION,
    ),
    "width and height swapped in the training images": (
        [("to_device(data.x_train)", "to_device(data.x_train.swapaxes(2, 3))")],
        cnn.TRAINING_IMAGES,
    ),
}
