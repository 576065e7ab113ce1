from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import torch
from torch import Tensor, nn, optim

Loader = Iterable[tuple[Tensor, Tensor]]
Loss = Callable[[Tensor, Tensor], Tensor]


def fit(
    model: nn.Module,
    train_loader: Loader,
    val_loader: Loader,
    optimizer: optim.Optimizer,
    loss_fn: Loss,
    epochs: int,
    *,
    accumulate: int,
    patience: int | None = None,
) -> dict[str, Any]:
    """Train with accumulated gradients, stop early, and leave the best state in the model."""
    history: dict[str, Any] = {
        "train_loss": [],
        "val_loss": [],
        "best_epoch": None,
        "stopped": False,
    }
    best_state: dict[str, Tensor] = {}
    was_training = model.training
    for epoch in range(epochs):
        train_loss = _train(model, train_loader, optimizer, loss_fn, accumulate)
        val_loss = _validate(model, val_loader, loss_fn)
        if all(val_loss < earlier for earlier in history["val_loss"]):
            history["best_epoch"] = epoch
            best_state = {name: value.clone() for name, value in model.state_dict().items()}
        history["train_loss"].append(train_loss)
        history["val_loss"].append(val_loss)
        if patience is not None and epoch - history["best_epoch"] >= patience:
            history["stopped"] = epoch + 1 < epochs
            break
    if best_state:
        # Copies into the parameters that the optimizer holds.
        model.load_state_dict(best_state)
    model.train(was_training)
    return history


def _train(
    model: nn.Module, loader: Loader, optimizer: optim.Optimizer, loss_fn: Loss, accumulate: int
) -> float:
    model.train()
    total, count = 0.0, 0
    batches = iter(loader)
    while taken := list(islice(batches, accumulate)):
        num_samples = sum(len(x) for x, _ in taken)
        optimizer.zero_grad()
        for x, y in taken:
            loss = loss_fn(model(x), y)
            # The mean over all samples: each batch counts by its share of them.
            (loss * (len(x) / num_samples)).backward()
            total += loss.item() * len(x)
        optimizer.step()
        count += num_samples
    return total / count


@torch.no_grad()
def _validate(model: nn.Module, loader: Loader, loss_fn: Loss) -> float:
    model.eval()
    total, count = 0.0, 0
    for x, y in loader:
        total += loss_fn(model(x), y).item() * len(x)
        count += len(x)
    return total / count
