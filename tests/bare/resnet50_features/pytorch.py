"""ResNet-50 as torchvision builds it, without convolution biases, but with the strides of Keras.

bare: channels last, inference mode; compiled or frozen as the row is; bf16: weights and images converted once.
"""

from tests.bare.resnet50_features import IMAGES


def network():
    import torch
    from torch import nn

    class Bottleneck(nn.Module):
        def __init__(self, channels, width, stride):
            super().__init__()
            self.conv1, self.bn1 = nn.Conv2d(channels, width, 1, bias=False), nn.BatchNorm2d(width)
            self.conv2 = nn.Conv2d(width, width, 3, stride=1, padding=1, bias=False)
            self.conv1.stride = (stride, stride)  # Keras' place for it: torchvision's has more to compute
            self.bn2 = nn.BatchNorm2d(width)
            self.conv3, self.bn3 = nn.Conv2d(width, 4 * width, 1, bias=False), nn.BatchNorm2d(4 * width)
            self.relu, self.downsample = nn.ReLU(inplace=True), None
            if stride != 1 or channels != 4 * width:
                conv = nn.Conv2d(channels, 4 * width, 1, stride=stride, bias=False)
                self.downsample = nn.Sequential(conv, nn.BatchNorm2d(4 * width))

        def forward(self, x):
            out = self.relu(self.bn1(self.conv1(x)))
            out = self.relu(self.bn2(self.conv2(out)))
            out = self.bn3(self.conv3(out))
            out += x if self.downsample is None else self.downsample(x)
            return self.relu(out)

    layers = [nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True)]
    layers.append(nn.MaxPool2d(3, stride=2, padding=1))
    channels = 64
    for number, blocks in enumerate((3, 4, 6, 3)):
        width = 64 * 2**number
        for k in range(blocks):
            layers.append(Bottleneck(channels, width, 2 if number and not k else 1))
            channels = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten()).eval().to(memory_format=torch.channels_last)


def bare(parameters):
    import torch

    dtype = torch.bfloat16 if parameters.get("PRECISION") == "bf16" else torch.float32
    net = network().to(dtype)
    inputs = torch.from_numpy(IMAGES).to(dtype, memory_format=torch.channels_last)
    if parameters.get("COMPILE"):
        from torch._inductor import config

        config.freezing = bool(parameters.get("FREEZE"))
        net = torch.compile(net, dynamic=False)

    def step():
        with torch.inference_mode():
            return net(inputs)

    return step
