from collections.abc import Callable
from typing import Any

from torch import Tensor


class CheckpointManager:
    """Keep the newest checkpoints of a run in one directory, as ``ckpt_{step:08d}.pt``."""

    def __init__(self, directory, *, keep_last: int = 3) -> None:
        raise NotImplementedError

    def save(self, step: int, state: dict) -> None:
        """Write a checkpoint; it is durable when this returns."""
        raise NotImplementedError

    def steps(self) -> list[int]:
        """Return the steps of which there is a file, in ascending order."""
        raise NotImplementedError

    def load(self) -> tuple[int, dict] | None:
        """Return the newest checkpoint that is intact, or None."""
        raise NotImplementedError


def train(
    directory,
    *,
    build: Callable[[], tuple],
    dataset: Any,
    loss_fn: Callable[[Any, list], Tensor],
    total_steps: int,
    batch_size: int,
    seed: int,
    save_every: int,
    keep_last: int = 3,
    on_step: Callable[[int, float], None] | None = None,
) -> dict[str, Tensor]:
    """Train, and continue after a kill as if nothing had happened."""
    raise NotImplementedError
