"""Adadelta optimizer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from torchstone.microtorch.optim.flat import Flat
from torchstone.microtorch.optim.optimizer import Group, Optimizer, check, checked


class Adadelta(Optimizer):
    """Adadelta: the gradient scaled to the magnitude of previous updates.

    Source:
        Zeiler, ADADELTA (2012), algorithm 1.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check(0.0 <= rho <= 1.0, "rho value", rho)
        super().__init__(params, checked(locals()))

    def initial_state(self, group: Group) -> Mapping[str, Any]:
        """Return the initial state: mean squares of the gradients and of the updates."""
        return {"step": 0.0, "square_avg": 0.0, "acc_delta": 0.0}

    def update(self, flat: Flat, group: Group) -> None:
        """Apply an update."""
        flat.gather(group)
        square = flat.lean_square("square_avg", group["rho"])
        grad, scratch, eps = flat.grad, flat.scratch, group["eps"]
        for array, scale in ((square, np.divide), (flat.arrays["acc_delta"], np.multiply)):
            np.add(array, eps, out=scratch)
            np.sqrt(scratch, out=scratch)
            scale(grad, scratch, out=grad)
        flat.lean_square("acc_delta", group["rho"])
        np.multiply(grad, float(group["lr"]), out=grad)
        flat.subtract(grad)
