"""NAdam optimizer: Adam with Nesterov momentum."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from torchstone.microtorch.optim.flat import Flat
from torchstone.microtorch.optim.optimizer import Group, Optimizer, checked


class NAdam(Optimizer):
    """NAdam: Adam with Nesterov momentum.

    Source:
        Dozat, Incorporating Nesterov momentum into Adam (2016), algorithm 8.
    """

    scalars = ("step", "mu_product")

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, checked(locals()))

    def initial_state(self, group: Group) -> Mapping[str, Any]:
        """Return the initial state: both means, and the product of the momentum factors."""
        return {"step": 0.0, "mu_product": 1.0, "exp_avg": 0.0, "exp_avg_sq": 0.0}

    def update(self, flat: Flat, group: Group) -> None:
        """Apply an update."""
        lr, (beta1, beta2) = float(group["lr"]), group["betas"]
        flat.gather(group)
        momentum, following = (
            beta1 * (1.0 - 0.5 * 0.96 ** (step * group["momentum_decay"]))
            for step in (flat.step, flat.step + 1)
        )
        product = flat.scalars["mu_product"].array
        product *= momentum
        mean = flat.lean("exp_avg", 1 - beta1)
        square = flat.lean_square("exp_avg_sq", beta2)
        grad, scratch = flat.grad, flat.scratch
        np.multiply(grad, lr * (1 - momentum) / (1 - float(product)), out=grad)
        np.multiply(mean, lr * following / (1 - float(product) * following), out=scratch)
        np.add(grad, scratch, out=grad)
        np.sqrt(square, out=scratch)
        np.multiply(scratch, 1 / math.sqrt(1 - beta2**flat.step), out=scratch)
        np.add(scratch, group["eps"], out=scratch)
        np.divide(grad, scratch, out=scratch)
        flat.subtract(scratch)
