"""Mistakes planted in the lesson notebooks/mlp_mnist/mxnet_gluon.ipynb, in both of its forms: see mlp_mnist.py."""

from tests.plants import cnn_cifar10 as cnn
from tests.plants import mlp_mnist as mlp

IN_PLACE = mlp.set_to("FORM", '"autograd"', '"inplace"')
LOSS = "loss_fn = gluon.loss.L2Loss(weight=10)"
LAYERS = "net.add(nn.Dense(30, in_units=784, **options), nn.Dense(10, in_units=30, **options))"
SGD = 'optimizer = gluon.Trainer(model.collect_params(), "sgd", {"learning_rate": LEARNING_RATE})'
GATHERED = "xs, ys = nd.take(x, i), nd.take(y, i)  #"
BATCHES = "for i in batches]\n    return nd.concat"
STEP = "    optimizer.step(1)\n"
IN_VALUES = "    for p in model.collect_params().values():\n        nd.sgd_update("

PLANTS = {
    **mlp.SHARED,
    **mlp.averaged(),
    **mlp.own_run(
        ("np.random.permutation(len(x_train)))", "np.random.permutation(len(x_train))[::2])"),
        ("optimizer, x_train, y_train, order)\n    train_acc", "optimizer, x_train, one_hot(np.roll(data.y_train, 7)), order)\n    train_acc"),
    ),
    "float32 by default": ([('net.cast("float64")', 'net.cast("float32")'), ("model(xs), ys", 'model(xs.astype("float32")), ys.astype("float32")')], mlp.FLOAT32),
    "the digits rounded to float32": ([('-1), ctx=ctx, dtype="float64") / 255', '-1), ctx=ctx) / 255).astype("float64")'), ("return nd.array(images", "return (nd.array(images")], "gradient of hidden"),
    "the mean by the trainer, its divisor in float32": ([("loss = loss_fn(model(xs), ys).mean()", "loss = loss_fn(model(xs), ys)"), ("    optimizer.step(1)\n    return loss", "    optimizer.step(len(i))\n    for p in model.collect_params().values():\n        p.grad()[:] = p.grad() / len(i)\n    return loss.mean()")], mlp.LATER),
    "the rate divided by the batch": ([(STEP, "    optimizer.step(len(i))\n")], mlp.SECOND_LOSS),
    "the loss without its half": ([(LOSS, LOSS.replace("10", "20"))], mlp.GRADIENT),
    "the mean over the outputs": ([(LOSS, LOSS.replace("weight=10", ""))], mlp.GRADIENT),
    "tanh in the hidden layer": ([(LAYERS, LAYERS.replace("784, **options", '784, **{**options, "activation": "tanh"}'))], mlp.GRADIENT),
    "no activation at the end": ([(LAYERS, LAYERS.replace("=30, **options", '=30, **{**options, "activation": None}'))], mlp.GRADIENT),
    "labels of a batch in another order": ([(GATHERED, GATHERED.replace("(y, i)", "(y, i[::-1])"))], mlp.FIRST_LOSS + "|gradient of"),
    "labels of a batch in another order, in place": ([IN_PLACE, ("nd.take(y, i, out=ys)", "nd.take(y, i[::-1], out=ys)")], mlp.FIRST_LOSS + "|gradient of"),
    "the order of the samples ignored": ([("batches = [order[k :", "order = nd.sort(order)\n    batches = [order[k :")], "the first wrong loss at step"),
    "last partial batch dropped in training": ([(BATCHES, "for i in batches if len(order) < 10 or len(i) == BATCH_SIZE]\n    return nd.concat")], cnn.SHORT_TRAINING),
    "last partial batch dropped in predict": ([("    return model(x).argmax(", "    return model(x[: len(x) // 25 * 25]).argmax(")], mlp.SHORT_PREDICTION),
    "classes of the smallest output": ([("model(x).argmax(axis=1)", "model(x).argmin(axis=1)")], mlp.EVALUATION),
    "the accuracy of the first 100 samples": ([("(predict(model, x) == labels).sum().asscalar() / len(labels)", "(predict(model, x[:100]) == labels[:100]).sum().asscalar() / 100")], mlp.SHARE),
    "momentum": ([(SGD, SGD[:-2] + ', "momentum": 0.1})')], mlp.LATER),
    "weight decay": ([(SGD, SGD[:-2] + ', "wd": 1e-9})')], mlp.LATER),
    "biases at a rate that is too large": ([(SGD, SGD + "\nfor p in model.collect_params().values():\n    p.lr_mult = 1 if len(p.shape) == 2 else 1 + 1e-6")], mlp.LATER),
    "gradients that add up": ([("    net.initialize(ctx=ctx)\n", '    net.initialize(ctx=ctx)\n    net.collect_params().setattr("grad_req", "add")\n')], "the first wrong loss at step"),
    "one update in five left out": ([(STEP, "    int(i[0].asscalar()) % 5 == 0 or optimizer.step(1)\n")], "the first wrong loss at step"),
    "the targets of the mini-batch before, in place": ([IN_PLACE, (", nd.take(y, i, out=ys)", ""), ("    nd.elemwise_sub(a2, ys, out=d2)\n", "    nd.elemwise_sub(a2, ys, out=d2)\n    nd.take(y, i, out=ys)\n")], mlp.GRADIENT),
    "one buffer for the outputs and the scratch of a layer, in place": ([IN_PLACE, ("times_slope(d1, a1, s1)", "times_slope(d1, a1, a1)")], mlp.GRADIENT),
    "the slope of the wrong layer, in place": ([IN_PLACE, ("times_slope(d1, a1, s1)", "times_slope(d1, a1.sqrt(), s1)")], "gradient of hidden"),
    "an update between the two gradients, in place": ([IN_PLACE, ("    times_slope(d2, a2, s2)\n", "    times_slope(d2, a2, s2)\n    w = output.weight.data()\n    w -= optimizer.learning_rate * nd.dot(d2, a1, transpose_a=True)\n")], mlp.SECOND_LOSS + "|gradient of"),
    "the sum instead of the mean, in place": ([IN_PLACE, ("    d2 /= n\n", "")], mlp.GRADIENT),
    "a tensor that never moves, its update left out, in place": ([IN_PLACE, (IN_VALUES, IN_VALUES.replace("model.collect_params().values()", "list(model.collect_params().values())[:3]"))], mlp.SECOND_LOSS),
}
