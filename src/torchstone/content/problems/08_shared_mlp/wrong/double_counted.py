# verdict: WA property
# group: count
# en: Names are not parameters: a shared one has two names, and counting by name, as in a
#   state_dict, counts it twice.
# zh: 名字不等于参数：共享的参数有两个名字，像 `state_dict` 那样按名字数，就数了两遍。
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
        return self.fc2(torch.relu(self.fc1(x)))


def count_parameters(module: nn.Module, trainable_only: bool = False) -> int:
    every = [p for _, p in module.named_parameters(remove_duplicate=False)]
    return sum(p.numel() for p in every if p.requires_grad or not trainable_only)
