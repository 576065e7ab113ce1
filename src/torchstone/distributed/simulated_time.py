"""``spend``: advance the simulated clock of a rank by the operations it computes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from torchstone.distributed.comm.threads import Simulation, current

# The function that advances the clock of this thread's rank.
_own = threading.local()
# The backward pass has two products: the gradient of the input and that of the weight.
_BACKWARD = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """Computing speed of the ranks.

    Attributes:
        flops_s: Floating-point operations per second of each rank.
        slow: A rank and the factor by which it is slower; None if no rank is.
    """

    flops_s: float
    slow: tuple[int, float] | None = None

    def seconds(self, flops: float, rank: int) -> float:
        """Return the time that a rank needs for a number of operations."""
        seconds = flops / self.flops_s
        if self.slow is not None and self.slow[0] == rank:
            seconds *= self.slow[1]
        return seconds


@contextmanager
def computing(speed: Speed | None) -> Iterator[None]:
    """Make ``spend`` take time for this thread's rank within the context; None disables it."""
    place = current()
    _own.spend = None if place is None or speed is None else _spender(*place, speed)
    try:
        yield
    finally:
        _own.spend = None


def _spender(simulation: Simulation, rank: int, speed: Speed) -> Callable[[float, str], None]:
    def take(flops: float, label: str) -> None:
        simulation.compute(rank, speed.seconds(flops, rank), label)

    return take


def spend(x: Tensor, *, forward: float, backward: float) -> Tensor:
    """Return ``x``; advance the clock here in both passes.

    Args:
        x: The computed values.
        forward: The operations of the forward pass up to here.
        backward: The forward operations whose backward pass starts here.
    """
    take: Callable[[float, str], None] | None = getattr(_own, "spend", None)
    if take is None:
        return x
    take(forward, "F")
    apply: Callable[..., Tensor] = _Spend.apply
    return apply(x, lambda: take(_BACKWARD * backward, "B"))


class _Spend(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, take: Callable[[], None]) -> Tensor:
        ctx.take = take
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        ctx.take()
        return grads[0], None
