# outcome: FORBIDDEN_OP
# problem: 04
# groups: sample
# tries: call linear inside vmap, whose layers have a kernel of their own for it
import math

import torch
from torch import Tensor


class Linear:
    """Compute x W^T + b, and carry gradients back by hand."""

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
            sizes = (in_features, out_features)
            raise ValueError(f"Linear: the sizes must be positive, got {sizes}.")
        limit = 1 / math.sqrt(in_features)

        def draw(*shape: int) -> Tensor:
            return torch.empty(shape, dtype=dtype).uniform_(-limit, limit, generator=generator)

        self.weight = draw(out_features, in_features)
        self.bias = draw(out_features) if bias else None
        # None says that no gradient has arrived yet; zero would say that it is zero.
        self.weight_grad: Tensor | None = None
        self.bias_grad: Tensor | None = None
        self._saved: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim == 0 or x.shape[-1] != self.weight.shape[1]:
            wanted = self.weight.shape[1]
            raise ValueError(f"Linear: x of shape {tuple(x.shape)} does not end in {wanted}.")
        self._saved = x  # the gradient of the weight needs it

        def row(_):
            return torch.nn.functional.linear(x, self.weight, self.bias)

        return torch.vmap(row)(torch.zeros(1))[0]

    def backward(self, grad_output: Tensor) -> Tensor:
        if self._saved is None:
            raise RuntimeError("Linear: backward wants a forward before it.")
        x = self._saved
        wanted = (*x.shape[:-1], self.weight.shape[0])
        if tuple(grad_output.shape) != wanted:
            came = tuple(grad_output.shape)
            raise ValueError(f"Linear: the cotangent has shape {came}, not {wanted}.")
        self._saved = None

        # All leading dimensions are one batch: the parameters are the same for every row.
        g_rows, x_rows = grad_output.reshape(-1, wanted[-1]), x.reshape(-1, x.shape[-1])
        # A sum over rows of outer products is one matrix product.
        self.weight_grad = self._add(self.weight_grad, g_rows.T @ x_rows)
        if self.bias is not None:
            self.bias_grad = self._add(self.bias_grad, g_rows.sum(0))
        return grad_output @ self.weight

    @staticmethod
    def _add(old: Tensor | None, new: Tensor) -> Tensor:
        return new if old is None else old + new

    def zero_grad(self) -> None:
        self.weight_grad = None
        self.bias_grad = None

    def step(self, lr: float) -> None:
        # In place: whoever else holds the parameter must see the update.
        if self.weight_grad is not None:
            self.weight.sub_(lr * self.weight_grad)
        if self.bias is not None and self.bias_grad is not None:
            self.bias.sub_(lr * self.bias_grad)
