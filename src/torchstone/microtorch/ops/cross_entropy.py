"""Cross entropy and negative log-likelihood: cross_entropy and nll_loss."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from torchstone.microtorch.ops.losses import REDUCTIONS, reduced, reduction_of
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.tensor import Array, Tensor


def _places(shape: tuple[int, ...], target: Array, ignore_index: int) -> tuple[Array, Array]:
    """Return the indices of the target classes, and a mask of the targets that count.

    Shapes:
        shape: (batch, num_classes, *any); target: (batch, *any) -> index and mask (batch, 1, *any)
    """
    target = target[:, None]
    mask = target != ignore_index
    index = np.where(mask, target, 0)
    outside = (index < 0) | (index >= shape[1])
    if outside.any():
        raise IndexError(f"Target {int(index[outside][0])} is out of bounds.")
    return index, mask


def _pick_rule(grad: Tensor, self: Tensor, target: Tensor, ignore_index: int) -> Any:
    return _unpick(grad, target, self, ignore_index)


@primitive(self=_pick_rule)
def _pick(self: Array, target: Array, ignore_index: int) -> Array:
    index, mask = _places(self.shape, target, ignore_index)
    return np.where(mask, np.take_along_axis(self, index, 1), self.dtype.type(0))[:, 0]


# ``scores`` is an argument only for its shape; as in PyTorch, its gradient is zero.
@primitive(
    self=lambda grad, target, ignore_index: pick(grad, target, ignore_index),
    scores=lambda grad: grad * 0,
)
def _unpick(self: Array, target: Array, scores: Array, ignore_index: int) -> Array:
    index, mask = _places(scores.shape, target, ignore_index)
    result = np.zeros(scores.shape, self.dtype)
    np.put_along_axis(result, index, np.where(mask, self[:, None], 0), 1)
    return result


def pick(scores: Tensor, target: Tensor, ignore_index: int = -100) -> Tensor:
    """Return the score of the target class of each row; zero for ignored targets.

    Shapes:
        scores: (batch, num_classes, *any); target: (batch, *any) -> (batch, *any)
    """
    return _pick(scores, target, ignore_index)


def _check_classes(input: Tensor, target: Tensor, weight: Tensor | None, num_classes: int) -> None:
    if input.array.ndim < 1:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if input.array.ndim > 1 and (
        target.array.ndim == 0 or input.array.shape[0] != target.array.shape[0]
    ):
        raise ValueError(
            f"Expected input batch_size ({input.array.shape[0]}) to match target batch_size "
            f"({target.array.shape[0] if target.array.ndim else 0})."
        )
    if target.array.dtype not in (np.int64, np.uint8):
        raise RuntimeError(
            f"expected target dtype to be Long or Byte, but got {target.dtype.title}"
        )
    if input.array.shape[:1] * (input.array.ndim > 1) + input.array.shape[2:] != target.array.shape:
        raise RuntimeError(
            f"size mismatch (got input: {list(input.shape)}, target: {list(target.shape)})"
        )
    if weight is not None and weight.array.shape != (num_classes,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {num_classes} classes or no classes "
            f"but got weight tensor of shape: {list(weight.shape)}"
        )
    if weight is not None and weight.array.dtype != input.array.dtype:
        raise RuntimeError(
            f"expected scalar type {input.dtype.title} but found {weight.dtype.title}"
        )


@op("nn.functional")
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the negative log-likelihood of the target classes from log-probabilities.

    Shapes:
        input: (batch, num_classes, *any) or (num_classes,)
        target: (batch, *any) or ()
        weight: (num_classes,)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    dim = min(1, input.array.ndim - 1)
    _check_classes(input, target, weight, input.array.shape[dim] if input.array.ndim else 0)
    loss, weights = _nll(input, target, weight, ignore_index)
    if reduction == "mean":
        return loss.sum() / weights.sum()
    return reduced(loss, reduction)


def _nll(
    input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int
) -> tuple[Tensor, Tensor]:
    if input.array.ndim == 1:
        loss, weights = _nll(input.unsqueeze(0), target.unsqueeze(0), weight, ignore_index)
        return loss.squeeze(0), weights.squeeze(0)
    weight = input.new_ones((1,)) if weight is None else weight.detach()
    columns = weight.reshape([1, -1] + [1] * (input.array.ndim - 2)).expand(input.array.shape)
    weights = pick(columns, target, ignore_index)
    return -pick(input, target, ignore_index) * weights, weights


@op("nn.functional")
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Compute the cross entropy of logits and target classes or class probabilities.

    Shapes:
        input: (batch, num_classes, *any) or (num_classes,)
        target: without the classes for indices, or the shape of ``input`` for probabilities
        weight: (num_classes,)
    """
    if size_average is not None or reduce is not None or reduction not in REDUCTIONS:
        reduction = reduction_of(size_average, reduce, reduction)
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    if input.array.shape == target.array.shape:
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return _of_probabilities(input, target, weight, reduction, label_smoothing)
    dim = min(1, input.array.ndim - 1)
    _check_classes(input, target, weight, input.array.shape[dim] if input.array.ndim else 0)
    is_plain = weight is None and reduction == "mean" and not label_smoothing
    if is_plain and input.array.ndim == 2 and input.array.dtype.char in "fd":
        return _cross_entropy(input, target, ignore_index)[0]
    log_probs = input.log_softmax(dim)
    loss = nll_loss(log_probs, target, weight, ignore_index=ignore_index, reduction=reduction)
    if label_smoothing:
        uniform = _of_uniform(log_probs, target, weight, ignore_index, reduction, dim)
        share = label_smoothing / input.array.shape[dim]
        loss = (1 - label_smoothing) * loss + share * uniform
    return loss


def _of_probabilities(
    input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, label_smoothing: float
) -> Tensor:
    if target.array.dtype.kind != "f":
        raise RuntimeError(
            "Expected floating point type for target with class probabilities, got "
            f"{target.dtype.title}"
        )
    dim = min(1, input.array.ndim - 1)
    num_classes = input.array.shape[dim]
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / num_classes
    loss = input.log_softmax(dim) * target
    if weight is not None:
        loss = loss * weight.reshape([-1] + [1] * (input.array.ndim - dim - 1))
    loss = -loss.sum(dim)
    if reduction == "mean":
        count = input.array.size / num_classes if num_classes else 0.0
        return loss.sum() / (count or math.nan)
    return reduced(loss, reduction)


def _of_uniform(
    log_probs: Tensor,
    target: Tensor,
    weight: Tensor | None,
    ignore_index: int,
    reduction: str,
    dim: int,
) -> Tensor:
    """Compute the cross entropy with the uniform distribution, for label smoothing."""
    scores = log_probs
    if weight is not None:
        scores = scores * weight.reshape([-1] + [1] * (log_probs.array.ndim - dim - 1))
    _, weights = _nll(log_probs, target, weight, ignore_index)
    _, counted = _nll(log_probs, target, None, ignore_index)
    loss = -scores.sum(dim) * counted
    return loss.sum() / weights.sum() if reduction == "mean" else reduced(loss, reduction)


# Fast path for 2-D scores, class indices and a mean: the usual case in training.


def _cross_entropy_rule(grads: Any, result1: Tensor, target: Tensor, ignore_index: int) -> Any:
    """Compute the gradient: (probabilities - one_hot(target)) / number of targets that count."""
    grad, grad_probs = grads
    found = None
    if grad is not None:
        found = _less_target(result1, target, ignore_index) * grad
    if grad_probs is not None:
        weighted = grad_probs * result1
        through = weighted - result1 * weighted.sum(1, True)
        found = through if found is None else found + through
    return found


def _rows_rule(grad: Tensor, target: Tensor, ignore_index: int) -> Any:
    return _over_rows(grad, target, ignore_index)


@primitive(self=_rows_rule)
def _less_target(self: Array, target: Array, ignore_index: int) -> Array:
    rows, count = _rows_that_count(target, ignore_index)
    result = self * self.dtype.type(1 / count if count else math.nan)
    result[rows, target[rows]] -= 1 / count if count else math.nan
    if count < len(target):
        result[target == ignore_index] = 0
    return result


@primitive(self=_rows_rule)
def _over_rows(self: Array, target: Array, ignore_index: int) -> Array:
    mask = target != ignore_index
    count = np.count_nonzero(mask)
    return self * (mask / count).astype(self.dtype)[:, None]


def _rows_that_count(target: Array, ignore_index: int) -> tuple[Array, int]:
    mask = target != ignore_index
    rows = np.arange(len(target)) if mask.all() else np.flatnonzero(mask)
    return rows, len(rows)


@primitive(self=_cross_entropy_rule)
def _cross_entropy(self: Array, target: Array, ignore_index: int) -> tuple[Any, Array]:
    rows, count = _rows_that_count(target, ignore_index)
    classes = target[rows]
    if count and (classes.min() < 0 or classes.max() >= self.shape[1]):
        outside = classes[(classes < 0) | (classes >= self.shape[1])]
        raise IndexError(f"Target {int(outside[0])} is out of bounds.")
    probs = self - self.max(1, keepdims=True) if self.size else self.copy()
    right = probs[rows, classes]
    np.exp(probs, out=probs)
    sums = probs.sum(1, keepdims=True)
    probs /= sums
    losses = np.log(sums[rows, 0]) - right
    return np.asarray(losses.sum() / self.dtype.type(count), self.dtype), probs


# PyTorch's name of the node, which printed tensors show.
_cross_entropy.node.__name__ = "NllLossBackward0"
