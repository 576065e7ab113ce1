# style: mean and squared deviations of chunks, merged as Chan et al. do
import functools
from collections.abc import Sequence

import torch
from torch import Tensor, nn


def merge(
    a: tuple[int, Tensor, Tensor], b: tuple[int, Tensor, Tensor]
) -> tuple[int, Tensor, Tensor]:
    """Merge two (count, mean, sum of squared deviations)."""
    count = a[0] + b[0]
    delta = b[1] - a[1]
    mean = a[1] + delta * (b[0] / count)
    return count, mean, a[2] + b[2] + delta.square() * (a[0] * b[0] / count)


class LayerNorm(nn.Module):
    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        shape = (
            (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        )
        self.normalized_shape = shape
        self.eps = eps
        has_bias = elementwise_affine and bias
        self.register_parameter(
            "weight", nn.Parameter(torch.ones(shape, dtype=dtype)) if elementwise_affine else None
        )
        self.register_parameter(
            "bias", nn.Parameter(torch.zeros(shape, dtype=dtype)) if has_bias else None
        )

    def forward(self, x: Tensor) -> Tensor:
        if tuple(x.shape[-len(self.normalized_shape) :]) != self.normalized_shape:
            raise ValueError(
                f"LayerNorm: {tuple(x.shape)} does not end in {self.normalized_shape}."
            )
        dims = tuple(range(-len(self.normalized_shape), 0))
        wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        rows = wide.flatten(-len(dims)) if len(dims) > 1 else wide
        parts = []
        for chunk in rows.chunk(8, dim=-1):
            mean = chunk.mean(-1, keepdim=True)
            parts.append((chunk.shape[-1], mean, (chunk - mean).square().sum(-1, keepdim=True)))
        count, mean, deviations = functools.reduce(merge, parts)
        y = ((rows - mean) * torch.rsqrt(deviations / count + self.eps)).reshape(x.shape)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)
