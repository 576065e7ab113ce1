# verdict: WA property
# group: count
# en: Empty and meta tensors have no pointer, and two Parameters may share one; the object's
#   identity counts.
# zh: 空张量和 meta 张量没有地址，两个 Parameter 也可能共用一个地址；要按对象身份去重。
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
    seen = {p.data_ptr(): p for p in module.parameters() if p.requires_grad or not trainable_only}
    return sum(p.numel() for p in seen.values())
