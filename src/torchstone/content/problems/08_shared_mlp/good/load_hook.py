# style: a hook ties again after every load_state_dict; a generator over modules counts
import torch
from torch import Tensor, nn


def retie(module: nn.Module, incompatible_keys: object) -> None:
    module.tie_weights()


class SharedMLP(nn.Module):
    def __init__(self, features: int, bias: bool = True, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        if features < 1:
            raise ValueError(f"SharedMLP: features must be positive, got {features}.")
        self.fc1 = nn.Linear(features, features, bias=bias, dtype=dtype)
        self.fc2 = nn.Linear(features, features, bias=bias, dtype=dtype)
        self.fc2.weight = self.fc1.weight
        self.register_load_state_dict_post_hook(retie)

    def tie_weights(self) -> None:
        self.fc2.weight = self.fc1.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(torch.relu(self.fc1(x)))


def count_parameters(module: nn.Module, trainable_only: bool = False) -> int:
    seen: set[nn.Parameter] = set()
    for each in module.modules():
        seen.update(p for p in each._parameters.values() if p is not None)
    return sum(p.numel() for p in seen if p.requires_grad or not trainable_only)
