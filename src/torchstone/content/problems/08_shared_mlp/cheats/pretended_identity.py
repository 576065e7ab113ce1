# verdict: WA property
# en: A property shows fc1's weight where fc2 has none registered.
# zh: 用 property 冒充：`fc2` 其实没有注册权重，却显示 `fc1` 的权重。
import torch
from torch import Tensor, nn


class Pretender(nn.Linear):
    @property
    def weight(self):
        return self.__dict__["owner"][0].weight

    @weight.setter
    def weight(self, value):
        pass


class SharedMLP(nn.Module):
    def __init__(self, features: int, bias: bool = True, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        if features < 1:
            raise ValueError(f"SharedMLP: features must be positive, got {features}.")
        self.fc1 = nn.Linear(features, features, bias=bias, dtype=dtype)
        self.fc2 = Pretender.__new__(Pretender)
        nn.Module.__init__(self.fc2)
        self.fc2.in_features = self.fc2.out_features = features
        self.fc2.__dict__["owner"] = [self.fc1]
        self.fc2.bias = nn.Parameter(torch.zeros_like(self.fc1.bias)) if bias else None

    def tie_weights(self) -> None:
        self.fc2.weight = self.fc1.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(torch.relu(self.fc1(x)))


def count_parameters(module: nn.Module, trainable_only: bool = False) -> int:
    return sum(p.numel() for p in module.parameters() if p.requires_grad or not trainable_only)
