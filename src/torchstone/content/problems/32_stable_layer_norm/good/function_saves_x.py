# The statistics are computed again in backward, of x alone; so the second derivative is autograd's.
import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn


class Normalize(torch.autograd.Function):
    """Normalise rows; keep the input, and nothing else."""

    @staticmethod
    def forward(ctx, rows: Tensor, eps: float) -> Tensor:
        ctx.save_for_backward(rows)
        ctx.eps = eps
        scaled, _, rstd = statistics(rows, eps)
        return scaled * rstd

    @staticmethod
    def backward(ctx, h: Tensor) -> tuple[Tensor, None]:
        (rows,) = ctx.saved_tensors
        scaled, size, rstd = statistics(rows, ctx.eps)
        x_hat = scaled * rstd
        along = (h * x_hat).mean(-1, keepdim=True)
        return (h - h.mean(-1, keepdim=True) - x_hat * along) * rstd / size, None


def statistics(rows: Tensor, eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """Return deviations in units of their size, the size, and 1 / root in those units."""
    deviation = rows - rows[..., -1:].detach()
    for _ in range(2):
        deviation = deviation - deviation.mean(-1, keepdim=True)
    low, high = deviation.detach().aminmax(dim=-1, keepdim=True)
    size = torch.maximum(high, -low).clamp(min=math.sqrt(eps))
    size = torch.where(size == 0, 1.0, size)
    scaled = deviation / size
    variance = torch.linalg.vecdot(scaled, scaled).unsqueeze(-1) / rows.shape[-1]
    variance = variance + (math.sqrt(eps) / size) ** 2
    return scaled, size, torch.rsqrt(torch.where(variance == 0, 1.0, variance))


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
        return torch.zeros_like(x)
    wide = torch.float64 if x.dtype == torch.float64 else torch.float32
    y = Normalize.apply(x.reshape(-1, math.prod(shape)).to(wide), eps)
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
