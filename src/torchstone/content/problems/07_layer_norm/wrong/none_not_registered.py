# verdict: WA property
# group: module
# en: register_parameter(name, None) keeps the attribute when there is no parameter; here it is
#   missing.
# zh: 没有参数时，用 `register_parameter(name, None)` 保留属性；这里属性直接缺失了。
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
        self.affine = elementwise_affine
        self.has_bias = elementwise_affine and bias
        if self.affine:
            self.weight = nn.Parameter(torch.ones(shape, dtype=dtype))
        if self.has_bias:
            self.bias = nn.Parameter(torch.zeros(shape, dtype=dtype))

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
        if self.affine:
            y = y * self.weight
        if self.has_bias:
            y = y + self.bias
        return y.to(x.dtype)
