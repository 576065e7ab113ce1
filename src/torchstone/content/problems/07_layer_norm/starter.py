from collections.abc import Sequence

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    """Normalise every sample by its own mean and variance, then scale and shift."""

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        dtype: torch.dtype | None = None,
    ) -> None:
        """Make the parameters: ``weight`` of ones, ``bias`` of zeros, None where there is none."""
        super().__init__()
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        """Return (x - mean) / sqrt(variance + eps) * weight + bias.

        Shapes:
            x: (*lead, *normalized_shape) -> same shape and dtype.

        Raises:
            ValueError: The last dimensions of ``x`` differ from ``normalized_shape``.
        """
        raise NotImplementedError
