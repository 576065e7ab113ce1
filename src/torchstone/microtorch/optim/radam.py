"""RAdam optimizer: Adam with a rectified variance of the adaptive learning rate."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from torchstone.microtorch.optim.flat import Flat
from torchstone.microtorch.optim.optimizer import Group, Optimizer, checked


class RAdam(Optimizer):
    """RAdam: Adam that uses the mean alone in the first steps.

    Source:
        Liu et al., On the variance of the adaptive learning rate (2020), algorithm 2.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, checked(locals()))

    def initial_state(self, group: Group) -> Mapping[str, Any]:
        """Return the initial state: both means."""
        return {"step": 0.0, "exp_avg": 0.0, "exp_avg_sq": 0.0}

    def update(self, flat: Flat, group: Group) -> None:
        """Apply an update."""
        lr, (beta1, beta2) = float(group["lr"]), group["betas"]
        flat.gather(group)
        mean = flat.lean("exp_avg", 1 - beta1)
        square = flat.lean_square("exp_avg_sq", beta2)
        rate, scratch = lr / (1 - beta1**flat.step), flat.scratch
        # Length of the equivalent simple moving average: in the limit, and now.
        rest = beta2**flat.step
        limit = 2 / (1 - beta2) - 1
        count = limit - 2 * flat.step * rest / (1 - rest)
        if count > 5.0:
            spread = (count - 4) * (count - 2) * limit / ((limit - 4) * (limit - 2) * count)
            np.sqrt(square, out=scratch)
            np.add(scratch, group["eps"], out=scratch)
            np.divide(mean, scratch, out=scratch)
            np.multiply(scratch, rate * math.sqrt(spread * (1 - rest)), out=scratch)
        else:
            np.multiply(mean, rate, out=scratch)
        flat.subtract(scratch)
