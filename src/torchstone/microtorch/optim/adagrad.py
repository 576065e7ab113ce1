"""Adagrad optimizer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from torchstone.microtorch.optim.flat import Flat
from torchstone.microtorch.optim.optimizer import Group, Optimizer, checked


class Adagrad(Optimizer):
    """Adagrad: the gradient divided by the root of the sum of its squares.

    Source:
        Duchi et al., Adaptive subgradient methods (2011), figure 1.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(params, checked(locals()))
        # As in PyTorch, the state exists before the first step.
        for number, group in enumerate(self.param_groups):
            self._flats[number] = self._laid_flat(group["params"], self.initial_state(group))

    def initial_state(self, group: Group) -> Mapping[str, Any]:
        """Return the initial state: the sum of squares."""
        return {"step": 0.0, "sum": group["initial_accumulator_value"]}

    def update(self, flat: Flat, group: Group) -> None:
        """Apply an update."""
        flat.gather(group)
        grad, scratch, total = flat.grad, flat.scratch, flat.arrays["sum"]
        np.multiply(grad, grad, out=scratch)
        np.add(total, scratch, out=total)
        np.sqrt(total, out=scratch)
        np.add(scratch, group["eps"], out=scratch)
        np.divide(grad, scratch, out=scratch)
        rate = float(group["lr"]) / (1 + (flat.step - 1) * group["lr_decay"])
        np.multiply(scratch, rate, out=scratch)
        flat.subtract(scratch)
