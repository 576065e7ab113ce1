# verdict: WA property
# group: tie
# en: fc2 = fc1 shares the bias, too, and leaves one Linear with two names.
# zh: `fc2 = fc1` 会把偏置也共享，只剩一个有两个名字的 Linear。
import torch
from torch import Tensor, nn


class SharedMLP(nn.Module):
    def __init__(self, features: int, bias: bool = True, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        if features < 1:
            raise ValueError(f"SharedMLP: features must be positive, got {features}.")
        self.fc1 = nn.Linear(features, features, bias=bias, dtype=dtype)
        self.fc2 = self.fc1

    def tie_weights(self) -> None:
        self.fc2.weight = self.fc1.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(torch.relu(self.fc1(x)))


def count_parameters(module: nn.Module, trainable_only: bool = False) -> int:
    return sum(p.numel() for p in module.parameters() if p.requires_grad or not trainable_only)
