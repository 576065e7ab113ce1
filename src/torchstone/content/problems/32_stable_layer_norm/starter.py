from collections.abc import Sequence

import torch
from torch import Tensor, nn


def stable_layer_norm(
    x: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Return (x - mean) / sqrt(variance + eps) * weight + bias, exact to the last digits.

    Shapes:
        x: (*lead, *normalized_shape) -> same shape and dtype.
        weight, bias: normalized_shape, of any floating-point dtype.

    Raises:
        TypeError: ``x`` is not of a floating-point dtype.
        ValueError: ``x`` does not end in ``normalized_shape``, which is empty, or a parameter has
            another shape, or ``eps`` is negative.
    """
    raise NotImplementedError


class StableLayerNorm(nn.Module):
    """The same as a module, with the parameters of ``nn.LayerNorm``."""

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        """Make the parameters: ``weight`` of ones, ``bias`` of zeros, None where there is none."""
        super().__init__()
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        """Return the normalised ``x``."""
        raise NotImplementedError
