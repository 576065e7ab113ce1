from torch import nn


class Norm(nn.BatchNorm2d):
    """A batch norm that can be told to stay in evaluation mode."""

    stays = False

    def train(self, mode=True):
        return super().train(mode and not self.stays)


def conv(inputs, outputs, size, stride=1):
    return nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False)


class Branch(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.enter = nn.Sequential(Norm(inputs), nn.ReLU())
        last = conv(outputs, outputs, 3)
        nn.init.constant_(last.weight, 0.0)
        self.body = nn.Sequential(
            conv(inputs, outputs, 3, stride), Norm(outputs), nn.ReLU(inplace=True), last
        )
        self.skip = conv(inputs, outputs, 1, stride) if stride > 1 or inputs != outputs else None

    def forward(self, x):
        entered = self.enter(x)
        if self.skip is not None:
            x = self.skip(entered)
        return x + self.body(entered)


class ResNet(nn.Module):
    def __init__(self, num_classes, widths, depths, in_channels=3):
        super().__init__()
        if not len(widths) == len(depths) >= 1:
            raise ValueError("widths and depths")
        self.stem = conv(in_channels, widths[0], 3)
        stages = []
        for i, depth in enumerate(depths):
            inputs = [widths[max(i - 1, 0)]] + [widths[i]] * (depth - 1)
            strides = [2 if i else 1] + [1] * (depth - 1)
            pairs = zip(inputs, strides, strict=True)
            stages.append(nn.Sequential(*(Branch(c, widths[i], s) for c, s in pairs)))
        self.stages = nn.Sequential(*stages)
        self.last = nn.Sequential(
            Norm(widths[-1]),
            nn.ReLU(inplace=True),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(widths[-1], num_classes),
        )

    def forward(self, x):
        return self.last(self.stages(self.stem(x)))

    def freeze(self, stages):
        for part in (self.stem, self.stages[:stages]):
            part.requires_grad_(False)
            for module in part.modules():
                if isinstance(module, Norm):
                    module.stays = True
                    module.eval()
