from torch import nn


class Residual(nn.Module):
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(cin, cout, kernel_size=3, stride=stride, padding=1, bias=False),
            nn.BatchNorm2d(cout),
            nn.ReLU(inplace=True),
            nn.Conv2d(cout, cout, kernel_size=3, stride=1, padding=1, bias=False),
            nn.BatchNorm2d(cout),
        )
        self.body[-1].weight.data.fill_(0.0)
        needs_projection = cin != cout or stride > 1
        self.skip = (
            nn.Sequential(
                nn.Conv2d(cin, cout, kernel_size=1, stride=stride, bias=False), nn.BatchNorm2d(cout)
            )
            if needs_projection
            else nn.Identity()
        )
        self.out = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.out(self.skip(x) + self.body(x))


def stage(cin, cout, depth, stride):
    first = Residual(cin, cout, stride)
    return nn.Sequential(first, *(Residual(cout, cout, 1) for _ in range(depth - 1)))


class ResNet(nn.Sequential):
    def __init__(self, num_classes, widths, depths, in_channels=3):
        if len(widths) < 1 or len(widths) != len(depths):
            raise ValueError(f"got {widths} and {depths}")
        cins = [widths[0], *widths[:-1]]
        super().__init__(
            nn.Conv2d(in_channels, widths[0], 3, 1, 1, bias=False),
            nn.BatchNorm2d(widths[0]),
            nn.ReLU(inplace=True),
            *(
                stage(cin, cout, depth, 1 if i == 0 else 2)
                for i, (cin, cout, depth) in enumerate(zip(cins, widths, depths, strict=True))
            ),
            nn.AdaptiveAvgPool2d((1, 1)),
            nn.Flatten(),
            nn.Linear(widths[-1], num_classes),
        )
