# verdict: WA property
# group: errors
# en: Broadcasting stretches a last size of 1 and hides a wrong shape; compare the sizes.
# zh: 广播会把大小为 1 的末维拉长，从而掩盖错误的形状；应逐维比较大小。
from collections.abc import Sequence

import torch
from torch import Tensor, nn


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
        dims = tuple(range(-len(self.normalized_shape), 0))
        wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        centred = wide - wide.mean(dims, keepdim=True)
        variance = centred.square().mean(dims, keepdim=True)
        y = centred * torch.rsqrt(variance + self.eps)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)
