# One row after the other; the module inherits the parameters of nn.LayerNorm, and nothing else.
import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn


def normalise(row: Tensor, eps: float) -> Tensor:
    """Normalise a flat row of the wide type."""
    row = row - row[0].detach()
    row = row - row.mean()
    size = max(float(row.detach().abs().max()), math.sqrt(eps))
    if size == 0:
        return row
    row = row / size
    return row / torch.sqrt(row.dot(row) / len(row) + (math.sqrt(eps) / size) ** 2)


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
        return x.clone()
    wide = torch.promote_types(x.dtype, torch.float32)
    rows = x.reshape(-1, math.prod(shape)).to(wide)
    finite = rows.detach().isfinite().all(1).tolist()
    y = torch.stack(
        [
            normalise(row, eps) if is_finite else row * math.nan
            for row, is_finite in zip(rows.unbind(), finite, strict=True)
        ]
    )
    if weight is not None:
        y = y * weight.reshape(-1).to(wide)
    if bias is not None:
        y = y + bias.reshape(-1).to(wide)
    return y.to(x.dtype).reshape(x.shape)


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


class StableLayerNorm(nn.LayerNorm):
    """``nn.LayerNorm`` with another forward."""

    def forward(self, x: Tensor) -> Tensor:
        return stable_layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
