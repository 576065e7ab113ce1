# style: register_parameter on a Linear made without memory; counting by named_parameters
import torch
from torch import Tensor, nn


class SharedMLP(nn.Module):
    def __init__(self, features: int, bias: bool = True, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        if features < 1:
            raise ValueError(f"SharedMLP: features must be positive, got {features}.")
        self.fc1 = nn.Linear(features, features, bias=bias, dtype=dtype)
        self.fc2 = nn.Linear(features, features, bias=False, device="meta")
        if bias:
            self.fc2.register_parameter("bias", nn.Parameter(torch.empty_like(self.fc1.bias)))
            limit = features**-0.5
            nn.init.uniform_(self.fc2.bias, -limit, limit)
        self.fc2.register_parameter("weight", self.fc1.weight)

    def tie_weights(self) -> None:
        self.fc2.weight = self.fc1.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(torch.relu(self.fc1(x)))


def count_parameters(module: nn.Module, trainable_only: bool = False) -> int:
    total = 0
    for _, parameter in module.named_parameters(remove_duplicate=True):
        if parameter.requires_grad or not trainable_only:
            total += parameter.numel()
    return total
