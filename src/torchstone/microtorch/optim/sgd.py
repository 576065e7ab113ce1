"""SGD optimizer: stochastic gradient descent with momentum and Nesterov momentum."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from torchstone.microtorch.optim.flat import Flat
from torchstone.microtorch.optim.optimizer import Group, Optimizer, checked


class SGD(Optimizer):
    """Stochastic gradient descent, optionally with momentum.

    Source:
        Sutskever et al., On the importance of initialization and momentum (2013), eqs. 1-4.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, checked(locals()))

    def initial_state(self, group: Group) -> Mapping[str, Any]:
        """Return the initial state: the momentum buffer, if momentum is used."""
        return {"momentum_buffer": 0.0} if group["momentum"] else {}

    def update(self, flat: Flat, group: Group) -> None:
        """Apply an update."""
        if not (group["momentum"] or group["weight_decay"] or group["maximize"]):
            flat.descend(float(group["lr"]))
            return
        flat.gather(group)
        grad, scratch, momentum = flat.grad, flat.scratch, group["momentum"]
        if momentum:
            total = flat.arrays["momentum_buffer"]
            if flat.is_new:
                # The first gradient initializes the buffer without dampening.
                np.copyto(total, grad)
                flat.is_new = False
            else:
                np.multiply(total, momentum, out=total)
                np.multiply(grad, 1 - group["dampening"], out=scratch)
                np.add(total, scratch, out=total)
            if group["nesterov"]:
                np.multiply(total, momentum, out=scratch)
                np.add(grad, scratch, out=grad)
            else:
                grad = total
        np.multiply(grad, float(group["lr"]), out=scratch)
        flat.subtract(scratch)
