# verdict: WA property
# group: errors
# en: A refused call must change nothing: check the cotangent before you consume the saved input.
# zh: 被拒绝的调用不能改动任何东西；先检查上游梯度的形状，再取走保存的输入。
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
        y = x @ self.weight.T
        return y if self.bias is None else y + self.bias

    def backward(self, grad_output: Tensor) -> Tensor:
        x, self.saved = self.saved, None
        if x is None:
            raise RuntimeError("Linear: backward without forward.")
        if grad_output.shape != (*x.shape[:-1], self.weight.shape[0]):
            raise ValueError(f"Linear: bad cotangent of shape {tuple(grad_output.shape)}.")
        g_rows = grad_output.reshape(-1, self.weight.shape[0])
        x_rows = x.reshape(-1, self.weight.shape[1])
        self.accumulate("weight_grad", g_rows.T @ x_rows)
        if self.bias is not None:
            self.accumulate("bias_grad", g_rows.sum(0))
        return grad_output @ self.weight

    def accumulate(self, name: str, value: Tensor) -> None:
        old = getattr(self, name)
        setattr(self, name, value if old is None else old + value)

    def zero_grad(self) -> None:
        self.weight_grad = None
        self.bias_grad = None

    def step(self, lr: float) -> None:
        if self.weight_grad is not None:
            self.weight -= lr * self.weight_grad
        if self.bias_grad is not None:
            self.bias -= lr * self.bias_grad
