# verdict: FORBIDDEN_OP
# en: PyTorch's own Python version of the operator, imported.
# zh: 导入 PyTorch 自带的 Python 参考实现。
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
        from torch._refs.nn.functional import layer_norm

        return layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
