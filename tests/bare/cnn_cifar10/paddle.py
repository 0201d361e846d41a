"""Paddle's tutorial on image classification with CIFAR-10, with the workload's network."""

from tests.bare.cnn_cifar10 import IMAGES, LABELS


def bare(parameters):
    import paddle
    from paddle import nn

    model = nn.Sequential(
        nn.Conv2D(3, 50, 3, padding=1), nn.ReLU(), nn.Conv2D(50, 50, 3, padding=1), nn.MaxPool2D(2), nn.ReLU(),
        nn.Dropout(0.25),
        nn.Conv2D(50, 100, 3, padding=1), nn.ReLU(), nn.Conv2D(100, 100, 3, padding=1), nn.MaxPool2D(2), nn.ReLU(),
        nn.Dropout(0.25), nn.Flatten(), nn.Linear(6400, 512), nn.ReLU(), nn.Dropout(0.5), nn.Linear(512, 10),
    )
    criterion = nn.CrossEntropyLoss()
    opt = paddle.optimizer.Momentum(0.01, 0.9, parameters=model.parameters())
    x, y = paddle.to_tensor(IMAGES), paddle.to_tensor(LABELS)

    def step():
        loss = criterion(model(x), y)
        loss.backward()
        opt.step()
        opt.clear_grad()
        return float(loss)

    return step
