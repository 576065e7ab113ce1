# The halves of a row are merged as a tree: count, mean, sum of squared deviations.
import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn


def moments(rows: Tensor) -> tuple[Tensor, Tensor]:
    """Return mean and sum of squared deviations of each row."""
    n = rows.shape[-1]
    if n <= 8:
        mean = rows.mean(-1)
        return mean, (rows - mean.unsqueeze(-1)).square().sum(-1)
    left, right = rows[..., : n // 2], rows[..., n // 2 :]
    (mean, squares), (other_mean, other_squares) = moments(left), moments(right)
    apart, m = other_mean - mean, right.shape[-1]
    both = squares + other_squares + apart.square() * ((n - m) * m / n)
    return mean + apart * (m / n), both


def stable_layer_norm(
    x: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    shape = as_shape(normalized_shape)
    check(x, shape, weight, bias, eps)
    if x.numel() == 0:
        return x + 0
    wide = x.dtype if x.dtype in (torch.float32, torch.float64) else torch.float32
    rows = x.reshape(-1, math.prod(shape)).to(wide)
    low, high = rows.detach().aminmax(dim=1, keepdim=True)
    shifted = rows - (low + high) / 2
    reach = shifted.detach().abs().amax(1, keepdim=True)
    root = math.sqrt(eps)
    unit = reach.maximum(torch.full_like(reach, root))
    unit = torch.where(unit == 0, 1.0, unit)
    scaled = shifted / unit
    mean, squares = moments(scaled)
    variance = (squares / rows.shape[1]).unsqueeze(1) + (root / unit).square()
    variance = torch.where(reach == 0, variance.clamp(min=root * root or 1.0), variance)
    y = (scaled - mean.unsqueeze(1)) / variance.sqrt()
    if weight is not None:
        y = y * weight.reshape(1, -1)
    if bias is not None:
        y = y + bias.reshape(1, -1)
    return y.to(x.dtype).view(x.shape)


def as_shape(normalized_shape: int | Sequence[int]) -> tuple[int, ...]:
    """Spell an int as a shape of one dimension."""
    return (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)


def check(
    x: Tensor, shape: tuple[int, ...], weight: Tensor | None, bias: Tensor | None, eps: float
) -> None:
    """Refuse what broadcasting would accept without a word."""
    if not x.is_floating_point():
        raise TypeError(f"stable_layer_norm: x has dtype {x.dtype}; use a floating-point dtype.")
    if not shape or tuple(x.shape[-len(shape) :]) != shape:
        raise ValueError(f"stable_layer_norm: {tuple(x.shape)} does not end in {shape}.")
    for name, item in (("weight", weight), ("bias", bias)):
        if item is not None and tuple(item.shape) != shape:
            raise ValueError(
                f"stable_layer_norm: {name} has shape {tuple(item.shape)}, not {shape}."
            )
    if eps < 0:
        raise ValueError(f"stable_layer_norm: eps is {eps}; it must not be negative.")


class StableLayerNorm(nn.Module):
    """A layer norm with the parameters of ``nn.LayerNorm``."""

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = as_shape(normalized_shape)
        self.eps = eps
        self.weight = self.bias = None
        if elementwise_affine:
            self.weight = nn.Parameter(
                torch.ones(self.normalized_shape, device=device, dtype=dtype)
            )
            if bias:
                self.bias = nn.Parameter(
                    torch.zeros(self.normalized_shape, device=device, dtype=dtype)
                )

    def forward(self, x: Tensor) -> Tensor:
        return stable_layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
