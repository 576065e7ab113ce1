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
) -> dict[str, Any]:
    """Train for some epochs, validate after each, and return the history.

    Its keys: train_loss and val_loss (a float for each epoch), best_epoch, best_state.
    """
    raise NotImplementedError
