# style: the affine part lives in a mixin; in-place arithmetic on tensors of our own
import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn


class Affine:
    """Hold the optional weight and bias of a normalisation."""

    weight: nn.Parameter | None
    bias: nn.Parameter | None

    def reset(
        self, shape: tuple[int, ...], affine: bool, bias: bool, dtype: torch.dtype | None
    ) -> None:
        self.weight = nn.Parameter(torch.empty(shape, dtype=dtype)) if affine else None
        self.bias = nn.Parameter(torch.empty(shape, dtype=dtype)) if affine and bias else None
        if affine:
            nn.init.ones_(self.weight)
        if affine and bias:
            nn.init.zeros_(self.bias)

    def transform(self, y: Tensor) -> Tensor:
        y = y if self.weight is None else y * self.weight
        return y if self.bias is None else y.add_(self.bias)


class LayerNorm(nn.Module, Affine):
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
        self.reset(shape, elementwise_affine, bias, dtype)

    def forward(self, x: Tensor) -> Tensor:
        if tuple(x.shape[-len(self.normalized_shape) :]) != self.normalized_shape:
            raise ValueError(
                f"LayerNorm: {tuple(x.shape)} does not end in {self.normalized_shape}."
            )
        dims = tuple(range(-len(self.normalized_shape), 0))
        wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        centred = wide - wide.mean(dims, keepdim=True)
        norm = torch.linalg.vector_norm(centred, dim=dims, keepdim=True)
        variance = norm.square() / math.prod(self.normalized_shape)
        y = self.transform(centred / variance.add(self.eps).sqrt_())
        return y.to(x.dtype)
