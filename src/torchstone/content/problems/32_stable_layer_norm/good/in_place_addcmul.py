# In forward each step overwrites the one before; backward computes what it needs anew.
import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn


def centre(rows: Tensor) -> Tensor:
    """Return the deviations of each row from its mean, which is removed twice."""
    deviation = rows - rows[:, rows.shape[1] // 2, None].detach()
    deviation = deviation - deviation.mean(1, keepdim=True)
    return deviation - deviation.mean(1, keepdim=True)


class Affine(torch.autograd.Function):
    """w x_hat + b of rows, without a tensor of their size to be kept but the rows."""

    @staticmethod
    def forward(ctx, rows: Tensor, w: Tensor, b: Tensor, root: float) -> Tensor:
        y = rows - rows[:, rows.shape[1] // 2, None]
        y.sub_(y.mean(1, keepdim=True)).sub_(y.mean(1, keepdim=True))
        size = torch.linalg.vector_norm(y, math.inf, dim=1, keepdim=True).clamp_(min=root)
        size.masked_fill_(size == 0, 1.0)
        y.div_(size)
        norm = torch.linalg.vector_norm(y, dim=1, keepdim=True)
        variance = norm.square_().div_(rows.shape[1]).add_((root / size).square_())
        y.mul_(variance.masked_fill_(variance == 0, 1.0).rsqrt_())
        ctx.save_for_backward(rows, size, w)
        ctx.root = root
        return torch.addcmul(b, y, w)

    @staticmethod
    def backward(ctx, g: Tensor) -> tuple[Tensor | None, ...]:
        rows, size, w = ctx.saved_tensors
        scaled = centre(rows) / size
        variance = (scaled * scaled).mean(1, keepdim=True) + (ctx.root / size).square()
        rstd = variance.masked_fill(variance == 0, 1.0).rsqrt()
        x_hat, h = scaled * rstd, g * w
        along, mean = ((each).mean(1, keepdim=True) for each in (h * x_hat, h))
        of_rows = torch.addcmul(h - mean, x_hat, along, value=-1) * (rstd / size)
        return of_rows, (g * x_hat).sum(0), g.sum(0), None


def stable_layer_norm(
    x: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    shape = as_shape(normalized_shape)
    check(x, shape, weight, bias, eps)
    if not x.numel():
        return x.clone()
    wide = torch.promote_types(x.dtype, torch.float32)
    rows = x.to(wide).reshape(-1, math.prod(shape))
    w = torch.ones(()) if weight is None else weight.to(wide).reshape(-1)
    b = torch.zeros(()) if bias is None else bias.to(wide).reshape(-1)
    w, b = (each.to(wide).expand(rows.shape[1]) for each in (w, b))
    return Affine.apply(rows, w, b, math.sqrt(eps)).to(x.dtype).reshape(x.shape)


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
