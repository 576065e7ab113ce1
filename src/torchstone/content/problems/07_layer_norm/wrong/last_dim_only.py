# verdict: WA value
# group: small
# en: normalized_shape may have several dimensions; the statistics run over all of them.
# zh: `normalized_shape` 可以有多维；统计量要在所有这些维上计算。
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
        wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        centred = wide - wide.mean(-1, keepdim=True)
        variance = centred.square().mean(-1, keepdim=True)
        y = centred * torch.rsqrt(variance + self.eps)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)
