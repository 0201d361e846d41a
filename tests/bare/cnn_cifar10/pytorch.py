"""PyTorch's "Training a classifier" tutorial, with the memory layout that the performance guide asks for.

bf16: under autocast, as the guide to mixed precision has it: the forward pass and the loss, not the backward pass.
"""

from tests.bare.cnn_cifar10 import IMAGES, LABELS


def bare(parameters, channels_last=True):
    import torch
    from torch import nn

    net = nn.Sequential(
        nn.Conv2d(3, 50, 3, padding=1), nn.ReLU(), nn.Conv2d(50, 50, 3, padding=1), nn.MaxPool2d(2), nn.ReLU(),
        nn.Dropout(0.25),
        nn.Conv2d(50, 100, 3, padding=1), nn.ReLU(), nn.Conv2d(100, 100, 3, padding=1), nn.MaxPool2d(2), nn.ReLU(),
        nn.Dropout(0.25), nn.Flatten(), nn.Linear(6400, 512), nn.ReLU(), nn.Dropout(0.5), nn.Linear(512, 10),
    )
    layout = torch.channels_last if channels_last else torch.contiguous_format
    net = net.to(memory_format=layout)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    inputs, labels = torch.from_numpy(IMAGES).contiguous(memory_format=layout), torch.from_numpy(LABELS)
    forward = torch.compile(net) if parameters.get("COMPILE") else net
    bf16 = parameters.get("PRECISION") == "bf16"

    def step():
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            loss = criterion(forward(inputs), labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def plain(parameters):
    """The same, eager and as the tutorial leaves it: (N, C, H, W) in memory."""
    return bare({}, channels_last=False)
