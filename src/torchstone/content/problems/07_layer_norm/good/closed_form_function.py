# style: autograd.Function with the closed-form backward; second derivatives are refused
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable


class Normalize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor, dims: tuple[int, ...], eps: float) -> Tensor:
        centred = x - x.mean(dims, keepdim=True)
        r = torch.rsqrt(centred.square().mean(dims, keepdim=True) + eps)
        x_hat = centred * r
        ctx.save_for_backward(x_hat, r)
        ctx.dims = dims
        return x_hat.clone()

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output: Tensor) -> tuple[Tensor, None, None]:
        x_hat, r = ctx.saved_tensors
        mean = grad_output.mean(ctx.dims, keepdim=True)
        along = (grad_output * x_hat).mean(ctx.dims, keepdim=True)
        return r * (grad_output - mean - x_hat * along), None, None


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
        y = Normalize.apply(wide, dims, self.eps)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)
