from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import torch
from torch import Tensor, nn, optim

Batch = tuple[Tensor, Tensor]


def fit(
    model: nn.Module,
    loader: Iterable[Batch],
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
    history: dict[str, Any] = {"loss": [], "clipped": [], "lr": [], "skipped": []}
    groups = optimizer.param_groups
    parameters = [parameter for group in groups for parameter in group["params"]]
    for group in groups:
        # A later call finds a decayed rate, but this key as it was.
        group.setdefault("base_lr", group["lr"])
    batches = _endless(loader)
    model.train()
    for step in range(start, steps if stop is None else stop):
        factor = _factor(step, steps, warmup, floor)
        for group in groups:
            group["lr"] = group["base_lr"] * factor
        optimizer.zero_grad()
        losses = []
        for x, y in islice(batches, accumulate):
            loss = loss_fn(model(x), y)
            (loss / accumulate).backward()
            losses.append(loss.item())
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        history["loss"].append(sum(losses) / len(losses))
        history["clipped"].append(_share_beyond(gradients, max_value))
        history["lr"].append([group["lr"] for group in groups])
        # Infinity is clipped like any number; NaN passes through every clamp.
        if any(bool(gradient.isnan().any()) for gradient in gradients):
            history["skipped"].append(step)
        else:
            torch.nn.utils.clip_grad_value_(parameters, max_value)
            optimizer.step()
    return history


def _endless(loader: Iterable[Batch]) -> Iterator[Batch]:
    while True:
        yield from loader


def _factor(step: int, steps: int, warmup: int, floor: float) -> float:
    if step < warmup:
        return (step + 1) / warmup
    return max(floor, (steps - step) / (steps - warmup))


def _share_beyond(gradients: list[Tensor], limit: float) -> float:
    beyond = sum(int((gradient.abs() > limit).sum()) for gradient in gradients)
    return beyond / sum(gradient.numel() for gradient in gradients)
