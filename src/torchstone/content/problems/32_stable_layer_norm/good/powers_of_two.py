# Everything in float64, each row divided by a power of two: no rounding but that of the sums.
import math
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
    shape = as_shape(normalized_shape)
    check(x, shape, weight, bias, eps)
    if x.numel() == 0:
        return torch.empty_like(x)
    dims = tuple(range(-len(shape), 0))
    wide = x.double()
    middle = wide.detach().reshape(*x.shape[: -len(shape)], -1).median(-1).values
    deviation = wide - middle.reshape(middle.shape + (1,) * len(shape))
    deviation = deviation - deviation.mean(dims, keepdim=True)
    deviation = deviation - deviation.mean(dims, keepdim=True)

    largest = deviation.detach().abs().amax(dims, keepdim=True)
    exponent = torch.frexp(largest.clamp(min=math.sqrt(eps))).exponent
    # ldexp has no gradient for an exponent of integers; a factor needs none.
    factor = torch.ldexp(torch.ones_like(largest), -exponent)
    scaled = deviation * factor
    floor = (factor * math.sqrt(eps)) ** 2
    variance = scaled.pow(2).mean(dims, keepdim=True) + floor
    y = scaled / torch.where(variance > 0, variance, 1.0).sqrt()
    y = torch.where(largest.isnan(), math.nan, y)
    y = y if weight is None else y * weight
    y = y if bias is None else y + bias
    return y.to(x.dtype)


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
