# verdict: WA property
# group: module
# en: Only nn.Parameter is registered; a plain tensor is invisible to optimisers, state_dict and
#   .to().
# zh: 只有 `nn.Parameter` 会被注册；普通张量对优化器、`state_dict` 和 `.to()` 都不可见。
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
        self.weight = (
            torch.ones(shape, dtype=dtype, requires_grad=True) if elementwise_affine else None
        )
        self.bias = torch.zeros(shape, dtype=dtype, requires_grad=True) if has_bias else None

    def forward(self, x: Tensor) -> Tensor:
        if tuple(x.shape[-len(self.normalized_shape) :]) != self.normalized_shape:
            raise ValueError(
                f"LayerNorm: {tuple(x.shape)} does not end in {self.normalized_shape}."
            )
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
