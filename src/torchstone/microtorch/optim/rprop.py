"""Rprop optimizer: resilient backpropagation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from torchstone.microtorch.optim.flat import Flat
from torchstone.microtorch.optim.optimizer import Group, Optimizer, checked


class Rprop(Optimizer):
    """Rprop: step sizes that depend only on the signs of successive gradients.

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
        """Return the initial state: previous gradient and step sizes."""
        return {"step": 0.0, "prev": 0.0, "step_size": float(group["lr"])}

    def update(self, flat: Flat, group: Group) -> None:
        """Apply an update."""
        flat.gather(group)
        grad, scratch = flat.grad, flat.scratch
        before, size = flat.arrays["prev"], flat.arrays["step_size"]
        less, more = group["etas"]
        np.multiply(grad, before, out=scratch)
        has_turned = scratch < 0
        np.multiply(size, more, out=size, where=scratch > 0)
        np.multiply(size, less, out=size, where=has_turned)
        np.clip(size, *group["step_sizes"], out=size)
        # After a sign change there is no update, and no comparison in the next step.
        grad[has_turned] = 0
        np.sign(grad, out=scratch)
        np.multiply(scratch, size, out=scratch)
        flat.subtract(scratch)
        np.copyto(before, grad)
