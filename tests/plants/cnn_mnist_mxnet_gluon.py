"""Mistakes planted in the lesson notebooks/cnn_mnist/mxnet_gluon.ipynb: see cnn_mnist.py."""

from tests.plants import cnn_mnist as cnn

LOSS = "loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()"
ADAM = 'trainer = gluon.Trainer(model.collect_params(), "adam", {"learning_rate": LEARNING_RATE})'
STEP = "train_step(model, trainer, nd.take(x, i), nd.take(y, i))"
BATCHES = "for i in batches]\n    return nd.concat"
FIRST = '    nn.MaxPool2D(2),  # (N, 16, 13, 13)\n    nn.Activation("relu"),\n'
UPDATE = "    trainer.step(len(x))\n"

PLANTS = {
    **cnn.SHARED,
    **cnn.averaged(),
    **cnn.own_run(
        ("np.random.permutation(len(x_train)))", "np.random.permutation(len(x_train))[::2])"),
        ("trainer, x_train, y_train, order)", "trainer, x_train, to_integers(np.roll(data.y_train, 7)), order)"),
    ),
    "width and height swapped in the model": ([("    nn.Dense(10),", '    nn.HybridLambda(lambda F, x: F.swapaxes(x, 2, 3)),\n    nn.Dense(10),')], cnn.GRADIENT),
    "average pooling": ([(FIRST, FIRST.replace("MaxPool2D", "AvgPool2D"))], cnn.GRADIENT),
    "no ReLU behind the first pooling": ([(FIRST, "    nn.MaxPool2D(2),\n")], cnn.GRADIENT),
    "softsign in the place of ReLU": ([(FIRST, FIRST.replace("relu", "softsign"))], cnn.GRADIENT),
    "labels taken for distributions": ([(LOSS, LOSS[:-1] + "weight=2)")], cnn.GRADIENT),
    "labels of a batch in another order": ([(STEP, "train_step(model, trainer, nd.take(x, i), nd.take(y, i[::-1]))")], cnn.FIRST_LOSS),
    "the order of the samples ignored": ([("batches = [order[k :", "order = nd.sort(order)\n    batches = [order[k :")], cnn.FIRST_LOSS),
    "last partial batch dropped in training": ([(BATCHES, "for i in batches if len(order) < 1000 or len(i) == BATCH_SIZE]\n    return nd.concat")], cnn.SHORT_TRAINING),
    "last partial batch dropped in predict": ([("    return nd.concat(*logits, dim=0).argmax", "    return nd.concat(*logits, dim=0)[: len(x) // 25 * 25].argmax")], cnn.SHORT_PREDICTION),
    "classes of the smallest logit": ([("argmax(axis=1)", "argmin(axis=1)")], cnn.EVALUATION),
    "the accuracy of the first 100 samples": ([("(predict(model, x) == y).sum().asscalar() / len(y)", "(predict(model, x[:100]) == y[:100]).sum().asscalar() / 100")], cnn.SHARE),
    "an update divided by another number of samples": ([(UPDATE, "    trainer.step(BATCH_SIZE)\n")], cnn.LATER),
    "weight decay": ([(ADAM, ADAM[:-2] + ', "wd": 1e-3})')], cnn.LATER),
    "momentum of another size": ([(ADAM, ADAM[:-2] + ', "beta1": 0.8})')], cnn.LATER),
    "gradients that add up": ([(ADAM, 'model.collect_params().setattr("grad_req", "add")\n' + ADAM)], cnn.LATER),
    "plain SGD for the update": ([(ADAM, ADAM.replace('"adam"', '"sgd"') + "\ntrainer.optimizer.beta1, trainer.optimizer.beta2 = 0.9, 0.999")], cnn.SECOND_LOSS),
}
