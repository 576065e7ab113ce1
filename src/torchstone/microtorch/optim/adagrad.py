"""Adagrad."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.optim.flat import Flat
from torchstone.microtorch.optim.optimizer import Group, Optimizer, check, check_lr
from torchstone.microtorch.tensor import wrap


class Adagrad(Optimizer):
    """Steps by the gradient over the root of the sum of its squares.

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
        check_lr(lr)
        check(lr_decay >= 0.0, "lr_decay value", lr_decay)
        check(weight_decay >= 0.0, "weight_decay value", weight_decay)
        initial = initial_accumulator_value
        check(initial >= 0.0, "initial_accumulator_value value", initial)
        check(eps >= 0.0, "epsilon value", eps)
        super().__init__(
            params,
            {
                "lr": lr,
                "lr_decay": lr_decay,
                "eps": eps,
                "weight_decay": weight_decay,
                "initial_accumulator_value": initial,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "fused": fused,
            },
        )
        # PyTorch's state is there before the first step.
        for group in self.param_groups:
            for each in group["params"]:
                self.state[each] = {
                    "step": wrap(np.zeros((), dtypes.float32.numpy)),
                    "sum": wrap(np.full_like(each.array, initial)),
                }

    def initial_state(self, group: Group) -> Mapping[str, Any]:
        """Remember the sum of squares."""
        return {"step": 0.0, "sum": group["initial_accumulator_value"]}

    def update(self, flat: Flat, group: Group) -> None:
        """Step by the scaled gradient."""
        flat.gather(weight_decay=group["weight_decay"], maximize=group["maximize"])
        grad, scratch, total = flat.grad, flat.scratch, flat.arrays["sum"]
        np.multiply(grad, grad, out=scratch)
        np.add(total, scratch, out=total)
        np.sqrt(total, out=scratch)
        np.add(scratch, group["eps"], out=scratch)
        np.divide(grad, scratch, out=scratch)
        rate = float(group["lr"]) / (1 + (flat.step - 1) * group["lr_decay"])
        np.multiply(scratch, rate, out=scratch)
        flat.subtract(scratch)
