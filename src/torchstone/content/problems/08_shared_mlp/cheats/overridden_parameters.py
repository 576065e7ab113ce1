# verdict: WA property
# en: Two weights, and a parameters() that hides one.
# zh: 其实有两个权重，用改写的 `parameters()` 藏起一个。
import torch
from torch import Tensor, nn


class SharedMLP(nn.Module):
    def __init__(self, features: int, bias: bool = True, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        if features < 1:
            raise ValueError(f"SharedMLP: features must be positive, got {features}.")
        self.fc1 = nn.Linear(features, features, bias=bias, dtype=dtype)
        self.fc2 = nn.Linear(features, features, bias=bias, dtype=dtype)
        self.tie_weights()

    def tie_weights(self) -> None:
        self.fc2.weight.data = self.fc1.weight.data

    def named_parameters(self, *args, **kwargs):
        pairs = super().named_parameters(*args, **kwargs)
        return ((name, p) for name, p in pairs if name != "fc2.weight")

    def parameters(self, recurse: bool = True):
        return (p for _, p in self.named_parameters())

    def forward(self, x: Tensor) -> Tensor:
        weight = self.fc1.weight
        hidden = torch.relu(nn.functional.linear(x, weight, self.fc1.bias))
        return nn.functional.linear(hidden, weight, self.fc2.bias)


def count_parameters(module: nn.Module, trainable_only: bool = False) -> int:
    return sum(p.numel() for p in module.parameters() if p.requires_grad or not trainable_only)
