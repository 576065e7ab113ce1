# verdict: WA grad
# group: sample
# en: One storage, two Parameters: each gets its own part of the gradient, and the optimiser
#   steps twice.
# zh: 存储共享但有两个 Parameter：梯度各得一份，优化器更新两次。
import torch
from torch import Tensor, nn


class SharedMLP(nn.Module):
    def __init__(self, features: int, bias: bool = True, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        if features < 1:
            raise ValueError(f"SharedMLP: features must be positive, got {features}.")
        self.fc1 = nn.Linear(features, features, bias=bias, dtype=dtype)
        self.fc2 = nn.Linear(features, features, bias=bias, dtype=dtype)
        self.fc2.weight.data = self.fc1.weight.data

    def tie_weights(self) -> None:
        self.fc2.weight = self.fc1.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(torch.relu(self.fc1(x)))


def count_parameters(module: nn.Module, trainable_only: bool = False) -> int:
    return sum(p.numel() for p in module.parameters() if p.requires_grad or not trainable_only)
