# verdict: WA value
# group: small
# en: eps is an argument; do not write 1e-5 into the formula.
# zh: eps 是参数，不要把 1e-5 写死在公式里。
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
        wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        centred = wide - wide.mean(dims, keepdim=True)
        variance = centred.square().mean(dims, keepdim=True)
        y = centred * torch.rsqrt(variance + 1e-5)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)
