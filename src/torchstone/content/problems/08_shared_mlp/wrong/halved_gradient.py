# verdict: WA grad
# group: sample
# en: The gradient of a shared weight is the sum of its uses, not their mean.
# zh: 共享权重的梯度是各次使用之和，而不是平均。
import torch
from torch import Tensor, nn


class SharedMLP(nn.Module):
    def __init__(self, features: int, bias: bool = True, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        if features < 1:
            raise ValueError(f"SharedMLP: features must be positive, got {features}.")
        self.fc1 = nn.Linear(features, features, bias=bias, dtype=dtype)
        self.fc2 = nn.Linear(features, features, bias=bias, dtype=dtype)
        self.fc2.weight = self.fc1.weight

    def tie_weights(self) -> None:
        self.fc2.weight = self.fc1.weight

    def forward(self, x: Tensor) -> Tensor:
        # Two uses, so each gets half of the gradient.
        weight = self.fc1.weight / 2 + self.fc1.weight.detach() / 2
        hidden = torch.relu(nn.functional.linear(x, weight, self.fc1.bias))
        return nn.functional.linear(hidden, weight, self.fc2.bias)


def count_parameters(module: nn.Module, trainable_only: bool = False) -> int:
    return sum(p.numel() for p in module.parameters() if p.requires_grad or not trainable_only)
