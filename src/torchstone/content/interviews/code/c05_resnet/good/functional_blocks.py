import torch
import torch.nn.functional as F
from torch import nn


def conv_norm(inputs, outputs, size, stride=1):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride=stride, padding=size // 2, bias=False),
        nn.BatchNorm2d(outputs),
    )


class BasicBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = conv_norm(inputs, outputs, 3, stride)
        self.second = conv_norm(outputs, outputs, 3)
        if (inputs, stride) == (outputs, 1):
            self.projection = None
        else:
            self.projection = conv_norm(inputs, outputs, 1, stride)
        with torch.no_grad():
            self.second[1].weight.zero_()

    def forward(self, x):
        residual = x if self.projection is None else self.projection(x)
        out = F.relu(self.first(x), inplace=True)
        out = self.second(out)
        out += residual
        return F.relu(out, inplace=True)


class ResNet(nn.Module):
    def __init__(self, num_classes, widths, depths, in_channels=3):
        super().__init__()
        widths, depths = list(widths), list(depths)
        if len(widths) != len(depths) or len(widths) == 0:
            raise ValueError("widths and depths must have the same length, at least 1")
        self.stem = conv_norm(in_channels, widths[0], 3)
        self.stages = nn.ModuleList()
        inputs = widths[0]
        for i in range(len(widths)):
            stage = nn.ModuleList()
            for j in range(depths[i]):
                stage.append(BasicBlock(inputs, widths[i], stride=2 if i and not j else 1))
                inputs = widths[i]
            self.stages.append(stage)
        self.fc = nn.Linear(inputs, num_classes, bias=True)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x):
        x = F.relu(self.stem(x))
        for stage in self.stages:
            for block in stage:
                x = block(x)
        x = F.adaptive_avg_pool2d(x, 1)
        return self.fc(torch.flatten(x, 1))
