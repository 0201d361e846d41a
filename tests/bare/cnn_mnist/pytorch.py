"""PyTorch's "Training a classifier" tutorial with Adam fused; eager with the layout that the performance guide asks for."""

from tests.bare.cnn_mnist import IMAGES, LABELS


def bare(parameters):
    import torch
    from torch import nn

    net = nn.Sequential(
        nn.Conv2d(1, 16, 2), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(16, 8, 2), nn.MaxPool2d(2), nn.ReLU(),
        nn.Flatten(), nn.Linear(288, 10),
    )
    compiled = parameters.get("COMPILE")
    net = net if compiled else net.to(memory_format=torch.channels_last)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.001, fused=True)
    inputs, labels = torch.from_numpy(IMAGES), torch.from_numpy(LABELS)
    forward = torch.compile(net, dynamic=False) if compiled else net

    def step():
        optimizer.zero_grad()
        loss = criterion(forward(inputs), labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step
