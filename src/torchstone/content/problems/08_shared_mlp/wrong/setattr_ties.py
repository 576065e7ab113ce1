# verdict: WA property
# group: tie
# en: An assignment does what it says and no more; tie in __init__ and in tie_weights.
# zh: 赋值就只是赋值；共享应放在 `__init__` 和 `tie_weights` 里完成。
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

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if name == "fc1" and hasattr(self, "fc2"):
            self.tie_weights()

    def tie_weights(self) -> None:
        self.fc2.weight = self.fc1.weight

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.relu(self.fc1(x))
        return self.fc2(hidden)


def count_parameters(module: nn.Module, trainable_only: bool = False) -> int:
    return sum(p.numel() for p in module.parameters() if p.requires_grad or not trainable_only)
