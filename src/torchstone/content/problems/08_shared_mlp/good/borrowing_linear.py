# style: a Linear subclass that is built around a borrowed weight; counting by id
import torch
from torch import Tensor, nn


class BorrowingLinear(nn.Linear):
    """A linear layer whose weight belongs to another one; its bias is its own."""

    def __init__(self, owner: nn.Linear) -> None:
        bias = owner.bias is not None
        super().__init__(owner.in_features, owner.out_features, bias, dtype=owner.weight.dtype)
        self.borrow(owner)

    def borrow(self, owner: nn.Linear) -> None:
        self.weight = owner.weight


class SharedMLP(nn.Module):
    def __init__(self, features: int, bias: bool = True, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        if features < 1:
            raise ValueError(f"SharedMLP: features must be positive, got {features}.")
        self.fc1 = nn.Linear(features, features, bias=bias, dtype=dtype)
        self.activation = nn.ReLU()
        self.fc2 = BorrowingLinear(self.fc1)

    def tie_weights(self) -> None:
        self.fc2.borrow(self.fc1)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(self.activation(self.fc1(x)))


def count_parameters(module: nn.Module, trainable_only: bool = False) -> int:
    seen: dict[int, nn.Parameter] = {}
    for each in module.modules():
        seen |= {id(p): p for p in each._parameters.values() if p is not None}
    return sum(p.numel() for p in seen.values() if p.requires_grad or not trainable_only)
