"""PyTorch's "Training a classifier" tutorial, with the memory layout that the performance guide asks for."""

from tests.frameworks import IMAGES, LABELS

SHIFTED = ("self.conv3(x)", "self.conv3(F.pad(x, (0, 1, 0, 1)))[..., 1:, 1:]")
PASTED = """
model = CNN(dropout=(0, 0, 0))
for w in model.parameters():
    if w.ndim > 1:
        nn.init.xavier_uniform_(w)
optimizer = make_optimizer(model)
x, y = torch.rand(8, 3, 32, 32), torch.randint(0, 10, (8,))
values = [train_step(model, optimizer, x, y).item() for _ in range(20)]
"""
STEP = """
_model = make_model(); _optimizer = make_optimizer(_model)
def step():
    i = torch.from_numpy(next(_order))
    return train_step(_model, _optimizer, x_train[i], y_train[i]).item()
"""


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

    def step():
        optimizer.zero_grad()
        loss = criterion(forward(inputs), labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def plain(parameters):
    """The same, eager and as the tutorial leaves it: (N, C, H, W) in memory."""
    return bare({}, channels_last=False)
