# verdict: WA property
# group: tie
# en: state_dict, .to() and optimisers only see registered parameters; a plain attribute is none.
# zh: 只有注册过的参数才会被 `state_dict`、`.to()` 和优化器看到；普通属性不算。
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
        self.fc2._parameters.pop("weight", None)
        self.fc2.__dict__["weight"] = self.fc1.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(torch.relu(self.fc1(x)))


def count_parameters(module: nn.Module, trainable_only: bool = False) -> int:
    return sum(p.numel() for p in module.parameters() if p.requires_grad or not trainable_only)
