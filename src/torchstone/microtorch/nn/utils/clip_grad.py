"""Gradient clipping: clip_grad_norm_, clip_grad_value_, get_total_norm."""

from __future__ import annotations

import math
import warnings
from collections.abc import Generator, Iterable

from torchstone.microtorch import linalg
from torchstone.microtorch.grad_mode import no_grad
from torchstone.microtorch.ops.creation import tensor
from torchstone.microtorch.ops.joining import stack
from torchstone.microtorch.tensor import Tensor


def _listed(tensors: Tensor | Iterable[Tensor]) -> list[Tensor]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _grads(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    return [each.grad for each in _listed(parameters) if each.grad is not None]


@no_grad()
def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Compute the norm of all elements of several tensors, as one vector."""
    given = _listed(tensors)
    if not given:
        return tensor(0.0)
    norm_type = float(norm_type)
    norms = [linalg.vector_norm(each, norm_type) for each in given]
    total: Tensor = linalg.vector_norm(stack(norms), norm_type)
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, "
            "so it cannot be clipped. To disable this error and scale the gradients by the "
            "non-finite norm anyway, set `error_if_nonfinite=False`"
        )
    return total


@no_grad()
def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    total_norm: Tensor,
    foreach: bool | None = None,
) -> None:
    """Scale the gradients so that their given total norm does not exceed ``max_norm``."""
    # Multiplied also if the factor is 1, as in PyTorch, so that a NaN norm spreads to all.
    scale = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
    for grad in _grads(parameters):
        grad.mul_(scale)


@no_grad()
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale the gradients so that their total norm does not exceed ``max_norm``.

    Returns:
        The total norm before clipping.

    Source:
        Pascanu et al., On the difficulty of training recurrent neural networks (2013), section 3.2.
    """
    given = _listed(parameters)
    if not given and isinstance(parameters, Generator):
        warnings.warn(
            "`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=3
        )
    total = get_total_norm(_grads(given), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(given, max_norm, total)
    return total


@no_grad()
def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None
) -> None:
    """Clamp each element of the gradients to [-clip_value, clip_value]."""
    for grad in _grads(parameters):
        grad.clamp_(-float(clip_value), float(clip_value))
