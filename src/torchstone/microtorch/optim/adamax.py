"""Adamax optimizer: Adam with the infinity norm of the gradients."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from torchstone.microtorch.optim.flat import Flat
from torchstone.microtorch.optim.optimizer import Group, Optimizer, checked


class Adamax(Optimizer):
    """Adamax: the mean of the gradients divided by a decaying maximum of their magnitudes.

    Source:
        Kingma and Ba, Adam (2015), algorithm 2.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(params, checked(locals()))

    def initial_state(self, group: Group) -> Mapping[str, Any]:
        """Return the initial state: the mean and the maximum."""
        return {"step": 0.0, "exp_avg": 0.0, "exp_inf": 0.0}

    def update(self, flat: Flat, group: Group) -> None:
        """Apply an update."""
        beta1, beta2 = group["betas"]
        flat.gather(group)
        mean = flat.lean("exp_avg", 1 - beta1)
        greatest, scratch = flat.arrays["exp_inf"], flat.scratch
        np.multiply(greatest, beta2, out=greatest)
        np.abs(flat.grad, out=scratch)
        np.add(scratch, group["eps"], out=scratch)
        np.maximum(greatest, scratch, out=greatest)
        np.divide(mean, greatest, out=scratch)
        np.multiply(scratch, float(group["lr"]) / (1 - beta1**flat.step), out=scratch)
        flat.subtract(scratch)
