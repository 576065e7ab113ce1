"""Rprop optimizer: resilient backpropagation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from torchstone.microtorch.optim.flat import Flat
from torchstone.microtorch.optim.optimizer import Group, Optimizer, checked


class Rprop(Optimizer):
    """Steps by the sign of the gradient alone: further while it stays, less far when it turns.

    Source:
        Riedmiller and Braun, A direct adaptive method for faster backpropagation learning (1993).
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, checked(locals()))

    def initial_state(self, group: Group) -> Mapping[str, Any]:
        """Make the state: the gradient, and the size of the step."""
        return {"step": 0.0, "prev": 0.0, "step_size": float(group["lr"])}

    def update(self, flat: Flat, group: Group) -> None:
        """Step by the sign."""
        flat.gather(group)
        grad, scratch = flat.grad, flat.scratch
        before, size = flat.arrays["prev"], flat.arrays["step_size"]
        less, more = group["etas"]
        np.multiply(grad, before, out=scratch)
        has_turned = scratch < 0
        np.multiply(size, more, out=size, where=scratch > 0)
        np.multiply(size, less, out=size, where=has_turned)
        np.clip(size, *group["step_sizes"], out=size)
        # Where it has turned nothing is done now, and nothing compared next time.
        grad[has_turned] = 0
        np.sign(grad, out=scratch)
        np.multiply(scratch, size, out=scratch)
        flat.subtract(scratch)
        np.copyto(before, grad)
