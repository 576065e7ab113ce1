# style: addmm into gradient buffers, a product with ones for the bias
import math

import torch
from torch import Tensor


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
        self.saved = None
        self.zero_grad()

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim == 0 or x.shape[-1] != self.weight.shape[1]:
            raise ValueError(f"Linear: bad input of shape {tuple(x.shape)}.")
        self.saved = x
        rows = x.reshape(-1, x.shape[-1])
        if self.bias is None:
            y = torch.mm(rows, self.weight.T)
        else:
            y = torch.addmm(self.bias, rows, self.weight.T)
        return y.reshape(*x.shape[:-1], self.weight.shape[0])

    def backward(self, grad_output: Tensor) -> Tensor:
        if self.saved is None:
            raise RuntimeError("Linear: backward without forward.")
        x = self.saved
        if grad_output.shape != (*x.shape[:-1], self.weight.shape[0]):
            raise ValueError(f"Linear: bad cotangent of shape {tuple(grad_output.shape)}.")
        self.saved = None
        g_rows = grad_output.reshape(-1, self.weight.shape[0])
        x_rows = x.reshape(-1, self.weight.shape[1])
        if self.weight_grad is None:
            self.weight_grad = torch.zeros_like(self.weight)
        self.weight_grad.addmm_(g_rows.T, x_rows)
        if self.bias is not None:
            if self.bias_grad is None:
                self.bias_grad = torch.zeros_like(self.bias)
            self.bias_grad.addmv_(g_rows.T, torch.ones_like(g_rows[:, 0]))
        return grad_output @ self.weight

    def zero_grad(self) -> None:
        self.weight_grad = None
        self.bias_grad = None

    def step(self, lr: float) -> None:
        if self.weight_grad is not None:
            self.weight.add_(self.weight_grad, alpha=-lr)
        if self.bias_grad is not None:
            self.bias.add_(self.bias_grad, alpha=-lr)
