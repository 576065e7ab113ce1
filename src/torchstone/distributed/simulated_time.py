"""``spend``: computing takes time on the simulated clock of a rank, by its operations."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from torchstone.distributed.comm.threads import Simulation, current

# What lets the time of this rank pass.
_own = threading.local()
# The backward pass multiplies twice: for the gradient of the input, and for that of the weight.
_BACKWARD = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """How fast the ranks compute.

    Attributes:
        flops_s: Operations a second of each rank.
        slow: A rank that is slower than the others, and how many times; ``None``: no rank is.
    """

    flops_s: float
    slow: tuple[int, float] | None = None

    def seconds(self, flops: float, rank: int) -> float:
        """Return how long a rank takes for a number of operations."""
        seconds = flops / self.flops_s
        if self.slow is not None and self.slow[0] == rank:
            seconds *= self.slow[1]
        return seconds


@contextmanager
def computing(speed: Speed | None) -> Iterator[None]:
    """Let ``spend`` take time for the rank that this thread is; with ``None`` it takes none."""
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
    """Return the same values; both passes take the time of their operations here.

    Args:
        x: What has been computed.
        forward: Multiplications and additions of a forward pass until here.
        backward: Those of the forward pass whose backward pass begins here.
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
