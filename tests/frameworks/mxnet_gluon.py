"""Gluon's "60-minute crash course", hybridized as its guide to performance asks."""

from tests.frameworks import BATCH, IMAGES, LABELS, plants

PLANTS = plants((
    'nn.Conv2D(100, 3, padding=1, in_channels=50, activation="relu"),',
    'nn.HybridLambda(lambda F, x: F.pad(x, mode="constant", pad_width=(0, 0, 0, 0, 0, 2, 0, 2), constant_value=0)), '
    'nn.Conv2D(100, 3, in_channels=50, activation="relu"),',
))
PASTED = """
model = make_model(dropout=(0, 0, 0))
optimizer = make_optimizer(model)
x, y = nd.random.uniform(shape=(8, 3, 32, 32)), nd.array(range(8))
values = [train_step(model, optimizer, x, y).asscalar() for _ in range(20)]
"""
STEP = """
_model = load_weights(make_model()); _trainer = make_optimizer(_model)
def step():
    i = nd.array(next(_order), ctx=ctx, dtype="int32")
    return train_step(_model, _trainer, nd.take(x_train, i), nd.take(y_train, i)).asscalar()
"""


def bare(parameters):
    import mxnet as mx
    from mxnet import autograd, gluon
    from mxnet.gluon import nn

    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(50, 3, padding=1, activation="relu"), nn.Conv2D(50, 3, padding=1), nn.MaxPool2D(2),
        nn.Activation("relu"), nn.Dropout(0.25),
        nn.Conv2D(100, 3, padding=1, activation="relu"), nn.Conv2D(100, 3, padding=1), nn.MaxPool2D(2),
        nn.Activation("relu"), nn.Dropout(0.25),
        nn.Dense(512, activation="relu"), nn.Dropout(0.5), nn.Dense(10),
    )
    net.initialize(mx.init.Xavier())
    net.hybridize()
    softmax_cross_entropy = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01, "momentum": 0.9})
    x, y = mx.nd.array(IMAGES), mx.nd.array(LABELS)

    def step():
        with autograd.record():
            loss = softmax_cross_entropy(net(x), y)
        loss.backward()
        trainer.step(BATCH)
        return loss.mean().asscalar()

    return step
