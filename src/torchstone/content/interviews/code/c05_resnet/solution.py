from collections.abc import Sequence

from torch import Tensor, nn


class Block(nn.Module):
    """Two convolutions around which the input is added."""

    def __init__(self, in_channels: int, channels: int, stride: int) -> None:
        super().__init__()
        # Bias would be removed by the mean that batch norm subtracts.
        self.conv1 = nn.Conv2d(in_channels, channels, 3, stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU()
        self.shortcut = nn.Sequential()
        if stride != 1 or in_channels != channels:
            self.shortcut = nn.Sequential(
                nn.Conv2d(in_channels, channels, 1, stride, bias=False),
                nn.BatchNorm2d(channels),
            )
        # The block starts as ReLU(shortcut), however deep the network is.
        nn.init.zeros_(self.norm2.weight)

    def forward(self, x: Tensor) -> Tensor:
        y = self.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        return self.relu(y + self.shortcut(x))


class ResNet(nn.Module):
    """A stem, stages of basic blocks, and a linear head."""

    def __init__(
        self, num_classes: int, widths: Sequence[int], depths: Sequence[int], in_channels: int = 3
    ) -> None:
        super().__init__()
        if not widths or len(widths) != len(depths):
            raise ValueError(f"ResNet: {len(widths)} widths do not fit {len(depths)} depths.")
        self.stem = nn.Sequential(
            nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False),
            nn.BatchNorm2d(widths[0]),
            nn.ReLU(),
        )
        blocks: list[nn.Module] = []
        channels = widths[0]
        for stage, (width, depth) in enumerate(zip(widths, depths, strict=True)):
            for number in range(depth):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(Block(channels, width, stride))
                channels = width
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(channels, num_classes)

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits.

        Shapes:
            x: (N, in_channels, H, W) -> (N, num_classes).
        """
        features = self.blocks(self.stem(x))
        return self.head(features.mean((2, 3)))
