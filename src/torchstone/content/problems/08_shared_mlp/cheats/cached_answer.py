# verdict: WA value | WA grad | WA property | WA dtype | RTE
# en: The first result is stored and given again for every input of that shape.
# zh: 存下第一次的结果，之后同形状的输入一律返回它。
import torch
from torch import Tensor, nn


class SharedMLP(nn.Module):
    answers = {}  # noqa: RUF012

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
        key = tuple(x.shape)
        if key not in self.answers:
            self.answers[key] = self.fc2(torch.relu(self.fc1(x)))
        return self.answers[key].clone()


def count_parameters(module: nn.Module, trainable_only: bool = False) -> int:
    return sum(p.numel() for p in module.parameters() if p.requires_grad or not trainable_only)
