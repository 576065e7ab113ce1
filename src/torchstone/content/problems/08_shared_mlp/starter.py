import torch
from torch import Tensor, nn


class SharedMLP(nn.Module):
    """Apply one square weight twice, with a relu between and a bias for each use."""

    fc1: nn.Linear
    fc2: nn.Linear

    def __init__(self, features: int, bias: bool = True, dtype: torch.dtype | None = None) -> None:
        """Make fc1 and fc2, whose weights are one Parameter."""
        super().__init__()
        raise NotImplementedError

    def tie_weights(self) -> None:
        """Let fc2 take over fc1's weight; calling it again changes nothing."""
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        """Return fc2(relu(fc1(x))).

        Shapes:
            x: (*, features) -> same shape.
        """
        raise NotImplementedError


def count_parameters(module: nn.Module, trainable_only: bool = False) -> int:
    """Count the elements of a module's parameters, each Parameter object once."""
    raise NotImplementedError
