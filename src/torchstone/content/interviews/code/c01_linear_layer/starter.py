import torch
from torch import Tensor, nn


class LinearFunction(torch.autograd.Function):
    """Compute x W^T + b with a backward of its own; used as LinearFunction.apply(x, w, b)."""

    @staticmethod
    def forward(ctx, x, weight, bias):
        raise NotImplementedError

    @staticmethod
    def backward(ctx, grad_output):
        raise NotImplementedError


class Linear(nn.Module):
    """Own weight and bias, and apply LinearFunction."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        super().__init__()
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError
