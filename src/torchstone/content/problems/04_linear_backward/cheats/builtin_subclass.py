# verdict: FORBIDDEN_OP
# en: nn.Linear under a plain class, its gradients from autograd.
# zh: 用普通类包一层 `nn.Linear`，梯度仍由 autograd 计算。
import torch
from torch import Tensor


class Linear(torch.nn.Linear):
    def __init__(self, in_features: int, out_features: int, bias: bool = True, **keywords) -> None:
        keywords.pop("generator", None)
        super().__init__(in_features, out_features, bias, **keywords)
        self.requires_grad_(False)
        self.weight_grad = self.bias_grad = None

    def forward(self, x: Tensor) -> Tensor:
        self.x = x
        return super().forward(x)

    def backward(self, grad_output: Tensor) -> Tensor:
        leaves = [self.x.detach().requires_grad_(), self.weight.detach().requires_grad_()]
        with torch.enable_grad():
            y = torch.nn.functional.linear(*leaves)
        grad_input, self.weight_grad = torch.autograd.grad(y, leaves, grad_output)
        return grad_input
