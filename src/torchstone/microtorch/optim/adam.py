"""Adam and AdamW optimizers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from torchstone.microtorch.kernels import Kernel
from torchstone.microtorch.optim.flat import Flat
from torchstone.microtorch.optim.optimizer import Group, Optimizer, checked
from torchstone.microtorch.tensor import Array, Tensor


class Adam(Optimizer):
    """Adam: the mean of the gradients divided by the root of the mean of their squares.

    Source:
        Kingma and Ba, Adam (2015), algorithm 1. ``amsgrad``: Reddi et al. (2018), algorithm 2.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        _check_tensors({"lr": lr, "betas[0]": betas[0], "betas[1]": betas[1]}, foreach, capturable)
        super().__init__(params, checked(locals()))

    def initial_state(self, group: Group) -> Mapping[str, Any]:
        """Return the initial state: both means and, for ``amsgrad``, the maximum of the second."""
        names = ["step", "exp_avg", "exp_avg_sq"]
        return dict.fromkeys([*names, "max_exp_avg_sq"] if group["amsgrad"] else names, 0.0)

    def update(self, flat: Flat, group: Group) -> None:
        """Apply an update."""
        lr, (beta1, beta2) = float(group["lr"]), map(float, group["betas"])
        flat.gather(group)
        # Bias correction: both means start at zero.
        bias1, bias2 = 1 - beta1**flat.step, 1 - beta2**flat.step
        factors = (1 - beta1, beta2, 1 - beta2, 1 / math.sqrt(bias2), group["eps"], lr / bias1)
        average(flat.grad, flat.arrays, flat.scratch, factors)
        flat.subtract(flat.scratch)


@Kernel
def average(
    grad: Array, means: Mapping[str, Array], update: Array, factors: tuple[float, ...]
) -> None:
    """Update the means and compute the parameter update."""
    rest1, beta2, rest2, scale, eps, rate = factors
    mean, square = means["exp_avg"], means["exp_avg_sq"]
    np.subtract(grad, mean, out=update)
    np.multiply(update, rest1, out=update)
    np.add(mean, update, out=mean)
    np.multiply(square, beta2, out=square)
    # Multiply in this order, because the square of a gradient may overflow float16.
    np.multiply(grad, rest2, out=update)
    np.multiply(update, grad, out=update)
    np.add(square, update, out=square)
    if "max_exp_avg_sq" in means:
        greatest = means["max_exp_avg_sq"]
        square = np.maximum(greatest, square, out=greatest)
    np.sqrt(square, out=update)
    np.multiply(update, scale, out=update)
    np.add(update, eps, out=update)
    np.divide(mean, update, out=update)
    np.multiply(update, rate, out=update)


def _check_tensors(options: dict[str, Any], foreach: bool | None, capturable: bool) -> None:
    given = [name for name, each in options.items() if isinstance(each, Tensor)]
    if ("betas[0]" in given) != ("betas[1]" in given):
        raise ValueError("betas must be either both floats or both Tensors")
    if given and foreach and not capturable:
        raise ValueError(
            f"{given[0]} as a Tensor is not supported for capturable=False and foreach=True"
        )


class AdamW(Adam):
    """AdamW: Adam with decoupled weight decay.

    Source:
        Loshchilov and Hutter, Decoupled weight decay regularization (2019), algorithm 2.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        # All arguments are named, because scripts inspect the signature for ``fused``.
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
            capturable=capturable, differentiable=differentiable, fused=fused,
            decoupled_weight_decay=True,
        )  # fmt: skip
