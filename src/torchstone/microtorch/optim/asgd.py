"""ASGD optimizer: averaged stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from torchstone.microtorch.optim.flat import Flat, numbers
from torchstone.microtorch.optim.optimizer import Group, Optimizer, checked


class ASGD(Optimizer):
    """Averaged SGD: a decaying learning rate and a running mean of the parameters.

    Averaging starts after ``t0`` steps; the mean is ``state[parameter]["ax"]``.

    Source:
        Polyak and Juditsky, Acceleration of stochastic approximation by averaging (1992).
    """

    scalars = ("step", "eta", "mu")

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(params, checked(locals()))

    def initial_state(self, group: Group) -> Mapping[str, Any]:
        """Return the initial state: learning rate, weight of the latest parameters, their mean."""
        return {"step": 0.0, "eta": float(group["lr"]), "mu": 1.0, "ax": 0.0}

    def update(self, flat: Flat, group: Group) -> None:
        """Apply an update, and update the mean of the parameters."""
        flat.gather(group)
        lr, lambd, grad = float(group["lr"]), group["lambd"], flat.grad
        eta, mu = flat.scalars["eta"].array, flat.scalars["mu"].array
        flat.shrink(1 - lambd * float(eta))
        np.multiply(grad, float(eta), out=grad)
        flat.subtract(grad)
        for parameter, part in zip(flat.params, flat.parts(grad), strict=True):
            np.copyto(part, numbers(parameter))
        flat.lean("ax", float(mu))
        eta[...] = lr / (1 + lambd * lr * flat.step) ** group["alpha"]
        mu[...] = 1 / max(1, flat.step - group["t0"])
