"""Losses: mse_loss, l1_loss, huber_loss, binary_cross_entropy, kl_div, gaussian_nll_loss."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from torchstone.microtorch.ops.activations import choose, hardtanh
from torchstone.microtorch.ops.activations_smooth import logsigmoid
from torchstone.microtorch.ops.namespace import named, op
from torchstone.microtorch.ops.pointwise import abs
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.reductions import expect
from torchstone.microtorch.ops.rounded import rounded_once
from torchstone.microtorch.tensor import Array, Tensor

REDUCTIONS = ("none", "mean", "sum")


def reduction_of(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """Return the reduction, which ``size_average`` and ``reduce`` specify in the deprecated way."""
    if size_average is not None or reduce is not None:
        old = "none" if reduce is False else "sum" if size_average is False else "mean"
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{old}' "
            "instead.",
            stacklevel=3,
        )
        return old
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def reduced(loss: Tensor, reduction: str) -> Tensor:
    """Apply the reduction "mean", "sum" or "none" to the losses of all elements."""
    if reduction == "mean":
        return loss.mean()
    return loss.sum() if reduction == "sum" else loss


def _warn_of_shapes(input: Tensor, target: Tensor) -> None:
    if input.array.shape != target.array.shape:
        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size "
            f"({input.shape}). This will likely lead to incorrect results due to broadcasting. "
            "Please ensure they have the same size.",
            stacklevel=3,
        )


def _weighted(loss: Tensor, input: Tensor, weight: Tensor | None) -> Tensor:
    if weight is None:
        return loss
    if weight.array.shape != input.array.shape:
        raise ValueError("Weights and input must have the same size.")
    return loss * weight


def _define(name: str, measure: Callable[[Tensor], Tensor], what: str) -> None:
    """Register a loss that is computed element by element."""

    def function(
        input: Tensor,
        target: Tensor,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
    ) -> Tensor:
        _warn_of_shapes(input, target)
        reduction = reduction_of(size_average, reduce, reduction)
        loss = _weighted(measure(input - target), input, weight)
        if weight is not None and reduction == "mean":
            return loss.sum() / weight.sum()
        return reduced(loss, reduction)

    op("nn.functional")(rounded_once(named(function, name, what)))


def _squared(error: Tensor) -> Tensor:
    expect("mse_cpu", error, "f")
    return error * error


_define("mse_loss", _squared, "Compute the squared error of each element, and reduce.")
_define("l1_loss", abs, "Compute the absolute error of each element, and reduce.")


@primitive(self=lambda grad, self, delta: grad * hardtanh(self, -delta, delta))
def _huber(self: Array, delta: float) -> Any:
    size = np.abs(self)
    return choose(size < delta, 0.5 * size * size, delta * (size - 0.5 * delta))


@op("nn.functional")
@rounded_once
def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """Compute the Huber loss: quadratic for errors below ``delta``, linear above."""
    _warn_of_shapes(input, target)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    reduction = reduction_of(None, None, reduction)
    loss: Tensor = _of_type(_huber(input - target, delta), input)
    return reduced(_weighted(loss, input, weight), reduction)


@op("nn.functional")
@rounded_once
def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Compute the smooth L1 loss: quadratic for errors below ``beta``, linear above."""
    _warn_of_shapes(input, target)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    error = input - target
    loss = _huber(error, beta) / beta if beta else error.abs()
    return reduced(loss, reduction_of(size_average, reduce, reduction))


# Probabilities.


def _bce_rule(grad: Tensor, self: Tensor, target: Tensor) -> Any:
    return grad * (self - target) / ((1 - self) * self).clamp(min=1e-12)


@primitive(
    self=_bce_rule,
    target=lambda grad, self: grad * ((-self).log1p() - self.log()),
)
def _bce(self: Array, target: Array) -> Array:
    # Written so that NaN is rejected as well.
    if not ((self >= 0) & (self <= 1)).all():
        raise RuntimeError("all elements of input should be between 0 and 1")
    logs = np.maximum(np.log(self), -100), np.maximum(np.log1p(-self), -100)
    return (target - 1) * logs[1] - target * logs[0]


@op("nn.functional")
@rounded_once
def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the binary cross entropy of probabilities; logarithms are clamped at -100."""
    reduction = reduction_of(size_average, reduce, reduction)
    if target.array.shape != input.array.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size "
            f"({input.shape}) is deprecated. Please ensure they have the same size."
        )
    if target.array.dtype != input.array.dtype:
        raise RuntimeError(f"Found dtype {target.dtype.title} but expected {input.dtype.title}")
    expect("binary_cross_entropy", input, "f")
    loss: Tensor = _bce(input, target)
    return reduced(loss if weight is None else loss * weight, reduction)


@op("nn.functional")
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Compute the binary cross entropy of logits."""
    reduction = reduction_of(size_average, reduce, reduction)
    if target.array.shape != input.array.shape:
        raise ValueError(
            f"Target size ({target.shape}) must be the same as input size ({input.shape})"
        )
    logs = logsigmoid(input)
    if pos_weight is not None:
        logs = logs * ((pos_weight - 1) * target + 1)
    loss = (1 - target) * input - logs
    if weight is not None:
        loss = loss * weight
    return reduced(_of_type(loss, target), reduction)


def _of_type(loss: Tensor, other: Tensor) -> Tensor:
    """Cast a loss to the dtype of one of its inputs, as PyTorch does in place."""
    if other.array.dtype.kind not in "fc":
        raise RuntimeError(
            f"result type {loss.dtype.title} can't be cast to the desired output type "
            f"{other.dtype.title}"
        )
    return loss if loss.array.dtype == other.array.dtype else loss._cast(other.array.dtype)


@op("nn.functional")
def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """Compute the pointwise Kullback-Leibler divergence, from log-probabilities."""
    if reduction == "mean" and size_average is None and reduce is None:
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math "
            "definition.'mean' will be changed to behave the same as 'batchmean' in the next major "
            "release.",
            stacklevel=2,
        )
    if log_target:
        loss = target.exp() * (target - input)
    else:
        loss = target.xlogy(target) - target * input
    if reduction == "batchmean":
        total: Tensor = loss.sum()
        return total / input.array.shape[0] if input.array.ndim else total
    return reduced(loss, reduction_of(size_average, reduce, reduction))


@op("nn.functional")
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the Poisson negative log-likelihood; ``full`` adds Stirling's approximation."""
    reduction = reduction_of(size_average, reduce, reduction)
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return reduced(loss, reduction)


@op("nn.functional")
def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Any,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """Compute the Gaussian negative log-likelihood."""
    if not isinstance(var, Tensor):
        var = input.new_ones(input.array.shape) * var
    if (var.array < 0).any():
        raise ValueError("var has negative entry/entries")
    shape, own = input.array.shape, var.array.shape
    if own != shape:
        if own == shape[:-1]:
            var = var.unsqueeze(-1)
        elif len(own) != len(shape) or [v for s, v in zip(shape, own, strict=True) if s != v] != [
            1
        ]:
            raise ValueError("var is of incorrect size")
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not valid")
    # Clamped outside the graph, so that the gradient is that of the unclamped variance.
    safe = var + (var.detach().clamp(min=eps) - var.detach())
    loss = 0.5 * (safe.log() + (input - target).square() / safe)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced(loss, reduction)
