# verdict: WA property
# group: tie
# en: The optimiser is built before the first call; tie in __init__.
# zh: 优化器在第一次前向之前就建好了，应在 `__init__` 中共享。
import torch
from torch import Tensor, nn


class SharedMLP(nn.Module):
    def __init__(self, features: int, bias: bool = True, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        if features < 1:
            raise ValueError(f"SharedMLP: features must be positive, got {features}.")
        self.fc1 = nn.Linear(features, features, bias=bias, dtype=dtype)
        self.fc2 = nn.Linear(features, features, bias=bias, dtype=dtype)

    def tie_weights(self) -> None:
        self.fc2.weight = self.fc1.weight

    def forward(self, x: Tensor) -> Tensor:
        self.tie_weights()
        return self.fc2(torch.relu(self.fc1(x)))


def count_parameters(module: nn.Module, trainable_only: bool = False) -> int:
    return sum(p.numel() for p in module.parameters() if p.requires_grad or not trainable_only)
