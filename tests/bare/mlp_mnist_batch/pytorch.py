"""PyTorch's "Quickstart" tutorial, with the workload's network and Adam fused; compiled as its tutorial on compiling."""

from tests.bare.mlp_mnist_batch import DIGITS, LABELS


def bare(parameters):
    import torch
    from torch import nn

    net = nn.Sequential(nn.Linear(784, 32), nn.ReLU(), nn.Linear(32, 10))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.001, fused=True)
    inputs, labels = torch.from_numpy(DIGITS), torch.from_numpy(LABELS)

    def forward():
        return criterion(net(inputs), labels)

    forward = torch.compile(forward, dynamic=False) if parameters.get("COMPILE") else forward

    def step():
        optimizer.zero_grad()
        loss = forward()
        loss.backward()
        optimizer.step()
        return loss.item()

    return step
