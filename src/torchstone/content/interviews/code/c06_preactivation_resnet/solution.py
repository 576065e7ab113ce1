from collections.abc import Sequence

from torch import Tensor, nn


class Block(nn.Module):
    """Two convolutions, each behind a batch norm and a ReLU, beside a path without either."""

    def __init__(self, in_channels: int, channels: int, stride: int) -> None:
        super().__init__()
        self.norm1 = nn.BatchNorm2d(in_channels)
        self.conv1 = nn.Conv2d(in_channels, channels, 3, stride, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.shortcut: nn.Module | None = None
        if stride != 1 or in_channels != channels:
            self.shortcut = nn.Conv2d(in_channels, channels, 1, stride, bias=False)
        # The block starts as its shortcut. No batch norm follows that could be set to 0.
        nn.init.zeros_(self.conv2.weight)

    def forward(self, x: Tensor) -> Tensor:
        active = self.norm1(x).relu()
        y = self.conv2(self.norm2(self.conv1(active)).relu())
        return y + (x if self.shortcut is None else self.shortcut(active))


class ResNet(nn.Module):
    """A stem, stages of pre-activation blocks, a last norm, and a linear head."""

    def __init__(
        self, num_classes: int, widths: Sequence[int], depths: Sequence[int], in_channels: int = 3
    ) -> None:
        super().__init__()
        if not widths or len(widths) != len(depths):
            raise ValueError(f"ResNet: {len(widths)} widths do not fit {len(depths)} depths.")
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stages = nn.ModuleList()
        channels = widths[0]
        for number, (width, depth) in enumerate(zip(widths, depths, strict=True)):
            first = Block(channels, width, 2 if number else 1)
            self.stages.append(
                nn.Sequential(first, *(Block(width, width, 1) for _ in range(depth - 1)))
            )
            channels = width
        self.norm = nn.BatchNorm2d(channels)
        self.head = nn.Linear(channels, num_classes)
        self.frozen: list[nn.Module] = []

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits.

        Shapes:
            x: (N, in_channels, H, W) -> (N, num_classes).
        """
        x = self.stem(x)
        for stage in self.stages:
            x = stage(x)
        # The sum of all blocks has not been normalised yet.
        return self.head(self.norm(x).relu().mean((2, 3)))

    def freeze(self, stages: int) -> None:
        """Stop the training of the stem and of the first stages, for good."""
        self.frozen = [self.stem, *self.stages[:stages]]
        for module in self.frozen:
            module.requires_grad_(False)
        self.train(self.training)

    def train(self, mode: bool = True) -> "ResNet":
        """Switch the mode of all that is not frozen."""
        super().train(mode)
        # requires_grad does not keep the running statistics from moving.
        for module in self.frozen:
            module.eval()
        return self
