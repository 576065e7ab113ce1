import math
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
    max_norm: float,
    accumulate: int,
) -> dict[str, Any]:
    """Make `steps` updates, and return the lists loss, norm, lr and skipped."""
    history: dict[str, Any] = {"loss": [], "norm": [], "lr": [], "skipped": []}
    groups = optimizer.param_groups
    parameters = [parameter for group in groups for parameter in group["params"]]
    base = [group["lr"] for group in groups]
    model.train()
    for step, batches in zip(range(steps), _updates(loader, accumulate), strict=False):
        factor = _factor(step, steps, warmup)
        for group, lr in zip(groups, base, strict=True):
            group["lr"] = lr * factor
        optimizer.zero_grad()
        losses = []
        for x, y in batches:
            loss = loss_fn(model(x), y)
            # Divided by what this update really takes, not by `accumulate`.
            (loss / len(batches)).backward()
            losses.append(loss.item())
        # Once, on the whole gradient: clipped parts would add up to another direction.
        norm = float(torch.nn.utils.clip_grad_norm_(parameters, max_norm))
        if math.isfinite(norm):
            optimizer.step()
        else:
            history["skipped"].append(step)
        history["loss"].append(sum(losses) / len(losses))
        history["norm"].append(norm)
        history["lr"].append([group["lr"] for group in groups])
    return history


def _updates(loader: Iterable[Batch], accumulate: int) -> Iterator[list[Batch]]:
    """Yield the batches of each update, epoch after epoch."""
    while True:
        batches = iter(loader)
        while taken := list(islice(batches, accumulate)):
            yield taken


def _factor(step: int, steps: int, warmup: int) -> float:
    if step < warmup:
        return (step + 1) / warmup
    return (1 + math.cos(math.pi * (step - warmup) / (steps - warmup))) / 2
