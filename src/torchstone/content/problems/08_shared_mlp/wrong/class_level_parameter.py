# verdict: WA property
# group: tie
# en: What hangs on the class is shared by all models; state belongs to the instance.
# zh: 挂在类上的参数会被所有模型共享；状态属于实例。
import torch
from torch import Tensor, nn


class SharedMLP(nn.Module):
    weights = {}  # noqa: RUF012

    def __init__(self, features: int, bias: bool = True, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        if features < 1:
            raise ValueError(f"SharedMLP: features must be positive, got {features}.")
        self.fc1 = nn.Linear(features, features, bias=bias, dtype=dtype)
        self.fc2 = nn.Linear(features, features, bias=bias, dtype=dtype)
        key = (features, dtype)
        self.fc1.weight = self.weights.setdefault(key, self.fc1.weight)
        self.fc2.weight = self.fc1.weight

    def tie_weights(self) -> None:
        self.fc2.weight = self.fc1.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(torch.relu(self.fc1(x)))


def count_parameters(module: nn.Module, trainable_only: bool = False) -> int:
    return sum(p.numel() for p in module.parameters() if p.requires_grad or not trainable_only)
