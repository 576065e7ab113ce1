import torch
from torch import Tensor, nn


class SharedMLP(nn.Module):
    """Apply one square weight twice, with a relu between and a bias for each use."""

    def __init__(self, features: int, bias: bool = True, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        if features < 1:
            raise ValueError(f"SharedMLP: features must be positive, got {features}.")
        self.fc1 = nn.Linear(features, features, bias=bias, dtype=dtype)
        self.fc2 = nn.Linear(features, features, bias=bias, dtype=dtype)
        # Before anybody can build an optimiser on parameters().
        self.tie_weights()

    def tie_weights(self) -> None:
        # The object, not its values: one Parameter has one gradient and one optimiser state.
        self.fc2.weight = self.fc1.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(torch.relu(self.fc1(x)))


def count_parameters(module: nn.Module, trainable_only: bool = False) -> int:
    """Count the elements of all parameters, each Parameter object once."""
    # parameters() skips an object that it has met, whatever its name; storages play no part.
    wanted = (p for p in module.parameters() if p.requires_grad or not trainable_only)
    return sum(p.numel() for p in wanted)
