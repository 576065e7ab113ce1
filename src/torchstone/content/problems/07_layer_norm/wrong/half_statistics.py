# verdict: WA value
# group: half
# en: In half precision a sum of squares overflows or rounds away; compute in float32 and round
#   once.
# zh: 半精度下平方和会溢出或丢失精度；应以 float32 计算，最后只舍入一次。
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
        if tuple(x.shape[-len(self.normalized_shape) :]) != self.normalized_shape:
            raise ValueError(
                f"LayerNorm: {tuple(x.shape)} does not end in {self.normalized_shape}."
            )
        dims = tuple(range(-len(self.normalized_shape), 0))
        centred = x - x.mean(dims, keepdim=True)
        variance = centred.square().mean(dims, keepdim=True)
        y = centred * torch.rsqrt(variance + self.eps)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)
