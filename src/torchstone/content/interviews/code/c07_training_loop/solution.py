from collections.abc import Callable, Iterable
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
) -> dict[str, Any]:
    """Train for some epochs, validate after each, and return the history."""
    history: dict[str, Any] = {
        "train_loss": [],
        "val_loss": [],
        "best_epoch": None,
        "best_state": None,
    }
    was_training = model.training
    try:
        for epoch in range(epochs):
            history["train_loss"].append(_train(model, train_loader, optimizer, loss_fn))
            val_loss = _validate(model, val_loader, loss_fn)
            if all(val_loss < earlier for earlier in history["val_loss"]):
                history["best_epoch"] = epoch
                # state_dict gives the live tensors: later steps would change them.
                state = model.state_dict()
                history["best_state"] = {name: value.clone() for name, value in state.items()}
            history["val_loss"].append(val_loss)
    finally:
        model.train(was_training)
    return history


def _train(model: nn.Module, loader: Loader, optimizer: optim.Optimizer, loss_fn: Loss) -> float:
    model.train()
    total, count = 0.0, 0
    for x, y in loader:
        # Before backward, not after step: an old gradient may be there when fit is called.
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        # A number, not a tensor: a sum of tensors would keep the graph of every batch.
        total += loss.item() * len(x)
        count += len(x)
    return total / count


@torch.no_grad()
def _validate(model: nn.Module, loader: Loader, loss_fn: Loss) -> float:
    model.eval()
    total, count = 0.0, 0
    for x, y in loader:
        total += loss_fn(model(x), y).item() * len(x)
        count += len(x)
    return total / count
