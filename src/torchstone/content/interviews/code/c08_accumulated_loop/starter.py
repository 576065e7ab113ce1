from collections.abc import Callable, Iterable
from typing import Any

from torch import Tensor, nn, optim


def fit(
    model: nn.Module,
    train_loader: Iterable[tuple[Tensor, Tensor]],
    val_loader: Iterable[tuple[Tensor, Tensor]],
    optimizer: optim.Optimizer,
    loss_fn: Callable[[Tensor, Tensor], Tensor],
    epochs: int,
    *,
    accumulate: int,
    patience: int | None = None,
) -> dict[str, Any]:
    """Train with accumulated gradients, stop early, and leave the best state in the model.

    The keys of the history: train_loss, val_loss, best_epoch, stopped.
    """
    raise NotImplementedError
