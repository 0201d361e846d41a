"""DenseNet as torchvision writes it, in the guide's layout; no torchvision for CPUs goes with the locked release."""

from tests.bare.densenet_chestxray import FINDINGS, IMAGES, LAYERS


def bare(parameters):
    import torch
    from torch import nn

    class Layer(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.new = nn.Sequential(
                nn.BatchNorm2d(width), nn.ReLU(inplace=True), nn.Conv2d(width, 128, 1, bias=False),
                nn.BatchNorm2d(128), nn.ReLU(inplace=True), nn.Conv2d(128, 32, 3, padding=1, bias=False),
            )

        def forward(self, x):
            return torch.cat([x, self.new(x)], 1)

    parts, width = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64
    for number, layers in enumerate(LAYERS):
        if number:
            conv = nn.Conv2d(width, width // 2, 1, bias=False)
            parts += [nn.BatchNorm2d(width), nn.ReLU(inplace=True), conv, nn.AvgPool2d(2)]
            width //= 2
        for _ in range(layers):
            parts.append(Layer(width))
            width += 32
    parts += [nn.BatchNorm2d(width), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 14)]
    net = nn.Sequential(*parts).to(memory_format=torch.channels_last)
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.0003)
    inputs, labels = torch.from_numpy(IMAGES).to(memory_format=torch.channels_last), torch.from_numpy(FINDINGS)

    def step():
        optimizer.zero_grad()
        loss = criterion(net(inputs), labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step
