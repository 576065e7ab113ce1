from collections.abc import Callable, Iterable
from typing import Any

from torch import Tensor, nn


def checkpoint(fn: Callable, *args: Any, preserve_rng_state: bool = True) -> Any:
    """Return ``fn(*args)`` and keep no activation of it; run it again in backward.

    Args:
        fn: Any callable; it may use parameters that are no arguments.
        args: Tensors, None, numbers and strings.
        preserve_rng_state: The second run sees the random numbers of the first.
    """
    raise NotImplementedError


def train(
    blocks: Iterable[nn.Module],
    loss_fn: Callable[[Tensor, Tensor], Tensor],
    optimizer: Any,
    batches: Iterable[tuple[Tensor, Tensor]],
    *,
    num_segments: int | None = None,
) -> list[float]:
    """Train once over the batches, the blocks in checkpointed segments; return the losses.

    Raises:
        ValueError: ``num_segments`` is below 1.
    """
    raise NotImplementedError
