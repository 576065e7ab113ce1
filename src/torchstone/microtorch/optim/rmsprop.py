"""RMSprop optimizer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from torchstone.microtorch.optim.flat import Flat
from torchstone.microtorch.optim.optimizer import Group, Optimizer, check, checked


class RMSprop(Optimizer):
    """RMSprop: the gradient divided by the root of the mean of its squares.

    Source:
        Hinton, Neural networks for machine learning, lecture 6e (2012). ``centered``: Graves,
        Generating sequences with recurrent neural networks (2013), eqs. 38-41.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check(alpha >= 0.0, "alpha value", alpha)
        super().__init__(params, checked(locals()))

    def initial_state(self, group: Group) -> Mapping[str, Any]:
        """Return the initial state: mean square, mean if ``centered``, momentum buffer."""
        names = {"step": True, "square_avg": True}
        names |= {"momentum_buffer": group["momentum"] > 0, "grad_avg": group["centered"]}
        return dict.fromkeys([name for name, wanted in names.items() if wanted], 0.0)

    def update(self, flat: Flat, group: Group) -> None:
        """Apply an update."""
        flat.gather(group)
        grad, scratch, alpha = flat.grad, flat.scratch, group["alpha"]
        square = flat.lean_square("square_avg", alpha)
        if group["centered"]:
            mean = flat.lean("grad_avg", 1 - alpha)
            np.multiply(mean, mean, out=scratch)
            np.subtract(square, scratch, out=scratch)
            np.sqrt(scratch, out=scratch)
        else:
            np.sqrt(square, out=scratch)
        np.add(scratch, group["eps"], out=scratch)
        np.divide(grad, scratch, out=scratch)
        if group["momentum"]:
            total = flat.arrays["momentum_buffer"]
            np.multiply(total, group["momentum"], out=total)
            np.add(total, scratch, out=total)
            np.copyto(scratch, total)
        np.multiply(scratch, float(group["lr"]), out=scratch)
        flat.subtract(scratch)
