# verdict: WA property
# en: count_parameters knows only the model of the statement.
# zh: `count_parameters` 只认得题目里的模型。
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
    features = getattr(getattr(module, "fc1", None), "in_features", 3)
    return features * features + 2 * features
