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
    max_value: float,
    accumulate: int,
    floor: float = 0.0,
    start: int = 0,
    stop: int | None = None,
) -> dict[str, Any]:
    """Make the updates from `start` to `stop`; return the lists loss, clipped, lr and skipped."""
    raise NotImplementedError
