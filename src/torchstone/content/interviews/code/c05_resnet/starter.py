from collections.abc import Sequence

from torch import Tensor, nn


class ResNet(nn.Module):
    """A stem, stages of basic blocks, and a linear head."""

    def __init__(
        self, num_classes: int, widths: Sequence[int], depths: Sequence[int], in_channels: int = 3
    ) -> None:
        super().__init__()
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits.

        Shapes:
            x: (N, in_channels, H, W) -> (N, num_classes).
        """
        raise NotImplementedError
