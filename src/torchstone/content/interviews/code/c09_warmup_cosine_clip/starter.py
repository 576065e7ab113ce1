from collections.abc import Callable, Iterable
from typing import Any

from torch import Tensor, nn, optim


def fit(
    model: nn.Module,
    loader: Iterable[tuple[Tensor, Tensor]],
    optimizer: optim.Optimizer,
    loss_fn: Callable[[Tensor, Tensor], Tensor],
    *,
    steps: int,
    warmup: int,
    max_norm: float,
    accumulate: int,
) -> dict[str, Any]:
    """Make `steps` updates, and return the lists loss, norm, lr and skipped."""
    raise NotImplementedError
