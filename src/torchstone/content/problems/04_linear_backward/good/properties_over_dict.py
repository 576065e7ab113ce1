# style: gradients are properties over a dict, a context object with slots, bmm
import math

import torch
from torch import Tensor


class Context:
    """What forward leaves for backward."""

    __slots__ = ("x",)

    def __init__(self, x: Tensor) -> None:
        self.x = x


class Linear:
    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        dtype: torch.dtype = torch.float32,
        generator: torch.Generator | None = None,
    ) -> None:
        if in_features < 1 or out_features < 1:
            raise ValueError(f"Linear: bad sizes {in_features} and {out_features}.")
        limit = 1 / math.sqrt(in_features)
        weight = torch.empty(out_features, in_features, dtype=dtype)
        self.weight = weight.uniform_(-limit, limit, generator=generator)
        self.bias = None
        if bias:
            shift = torch.empty(out_features, dtype=dtype)
            self.bias = shift.uniform_(-limit, limit, generator=generator)
        self.context: Context | None = None
        self.grads: dict[str, Tensor] = {}

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim == 0 or x.shape[-1] != self.weight.shape[1]:
            raise ValueError(f"Linear: bad input of shape {tuple(x.shape)}.")
        self.context = Context(x)
        y = x @ self.weight.T
        return y if self.bias is None else y + self.bias

    def backward(self, grad_output: Tensor) -> Tensor:
        if self.context is None:
            raise RuntimeError("Linear: backward without forward.")
        x = self.context.x
        if grad_output.shape != (*x.shape[:-1], self.weight.shape[0]):
            raise ValueError(f"Linear: bad cotangent of shape {tuple(grad_output.shape)}.")
        self.context = None
        g_rows = grad_output.reshape(-1, self.weight.shape[0])
        x_rows = x.reshape(-1, self.weight.shape[1])
        stacked = torch.bmm(g_rows.T[None], x_rows[None])
        self.accumulate("weight_grad", stacked[0].clone())
        if self.bias is not None:
            self.accumulate("bias_grad", g_rows.sum(0))
        return grad_output @ self.weight

    def accumulate(self, name: str, value: Tensor) -> None:
        if name in self.grads:
            self.grads[name] += value
        else:
            self.grads[name] = value

    @property
    def weight_grad(self) -> Tensor | None:
        return self.grads.get("weight_grad")

    @property
    def bias_grad(self) -> Tensor | None:
        return self.grads.get("bias_grad")

    def zero_grad(self) -> None:
        self.grads.clear()

    def step(self, lr: float) -> None:
        if self.weight_grad is not None:
            self.weight -= lr * self.weight_grad
        if self.bias_grad is not None:
            self.bias -= lr * self.bias_grad
