# verdict: WA value
# group: sample
# en: Here the same matrix is used twice; the transpose belongs to autoencoders.
# zh: 本题两层用同一个矩阵，转置是自编码器的做法。
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
        hidden = torch.relu(self.fc1(x))
        return nn.functional.linear(hidden, self.fc1.weight.T, self.fc2.bias)


def count_parameters(module: nn.Module, trainable_only: bool = False) -> int:
    return sum(p.numel() for p in module.parameters() if p.requires_grad or not trainable_only)
