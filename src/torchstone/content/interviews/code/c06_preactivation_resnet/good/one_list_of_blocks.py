import torch
import torch.nn.functional as F
from torch import nn


class PreActivation(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(inputs)
        self.conv1 = nn.Conv2d(inputs, outputs, (3, 3), stride=stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, (3, 3), padding=1, bias=False)
        with torch.no_grad():
            self.conv2.weight.fill_(0)
        self.has_projection = (inputs, stride) != (outputs, 1)
        if self.has_projection:
            self.projection = nn.Conv2d(inputs, outputs, (1, 1), stride=stride, bias=False)

    def forward(self, x):
        a = F.relu(self.bn1(x), inplace=True)
        residual = self.projection(a) if self.has_projection else x
        return residual + self.conv2(F.relu(self.bn2(self.conv1(a)), inplace=True))


class ResNet(nn.Module):
    def __init__(self, num_classes, widths, depths, in_channels=3):
        super().__init__()
        if len(widths) == 0 or len(widths) != len(depths):
            raise ValueError("one depth for each width")
        self.num_frozen = 0
        self.depths = list(depths)
        self.layers = nn.ModuleList([nn.Conv2d(in_channels, widths[0], 3, 1, 1, bias=False)])
        inputs = widths[0]
        for stage, width in enumerate(widths):
            for block in range(depths[stage]):
                self.layers.append(PreActivation(inputs, width, 2 if stage and block == 0 else 1))
                inputs = width
        self.bn = nn.BatchNorm2d(inputs)
        self.fc = nn.Linear(inputs, num_classes)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        x = F.relu(self.bn(x))
        return self.fc(torch.flatten(F.adaptive_avg_pool2d(x, 1), 1))

    def freeze(self, stages):
        self.num_frozen = 1 + sum(self.depths[:stages])
        for parameter in self.layers[: self.num_frozen].parameters():
            parameter.requires_grad = False
        return self.train(self.training)

    def train(self, mode=True):
        super().train(mode)
        self.layers[: self.num_frozen].train(False)
        return self
