# The rounded mean is as good a shift as any: what it leaves is subtracted as a second mean.
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
        return x.clone()
    wide = torch.promote_types(x.dtype, torch.float32)
    rows = x.flatten(-len(shape)).to(wide)
    is_constant = (rows == rows[..., :1]).all(-1, keepdim=True)
    reach = rows.detach().abs().amax(-1, keepdim=True).clamp(min=torch.finfo(wide).tiny)
    shift = (rows.detach() / reach).mean(-1, keepdim=True) * reach
    deviation = (rows - shift).masked_fill(is_constant, 0.0)
    deviation = deviation + (rows - rows.detach()) * is_constant
    units = deviation.detach().abs().amax(-1, keepdim=True).clamp(min=math.sqrt(eps))
    units = units + (units == 0)
    scaled = deviation / units
    variance, mean = torch.var_mean(scaled, -1, correction=0, keepdim=True)
    root = torch.hypot((variance + (variance == 0)).sqrt(), math.sqrt(eps) / units)
    root = torch.where(variance == 0, math.sqrt(eps) / units + (eps == 0), root)
    y = (scaled - mean) / root
    if weight is not None:
        y = torch.einsum("...d,d->...d", y, weight.flatten().to(wide))
    if bias is not None:
        y = y + bias.flatten().to(wide)
    return y.type(x.dtype).view(x.shape)


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
