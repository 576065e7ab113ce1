"""Margin losses: margin_ranking_loss, triplet_margin_loss, multi_margin_loss and others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.ops.activations import relu
from torchstone.microtorch.ops.activations_smooth import logsigmoid
from torchstone.microtorch.ops.cross_entropy import pick
from torchstone.microtorch.ops.losses import REDUCTIONS, reduced, reduction_of
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.norms import pairwise_distance
from torchstone.microtorch.tensor import Tensor, wrap


@op("nn.functional")
def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the hinge loss that ranks the first input above or below the second."""
    reduction = reduction_of(size_average, reduce, reduction)
    if not input1.array.ndim == input2.array.ndim == target.array.ndim:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.shape}, input2: {input2.shape}, target: {target.shape} "
        )
    return reduced((margin - target * (input1 - input2)).clamp(min=0), reduction)


@op("nn.functional")
def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the hinge loss of distances for targets 1 and -1."""
    reduction = reduction_of(size_average, reduce, reduction)
    margin = dtypes.held(margin, input.dtype)
    # ``where`` instead of multiplication by 0, which would turn infinities into NaN.
    far = (margin - input).clamp(min=0).where(target.ne(1), 0)
    return reduced(input.where(target.ne(-1), 0) + far, reduction)


@op("nn.functional")
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the loss of the cosine similarity for targets 1 and -1.

    Shapes:
        input1, input2: (batch, features) or (features,); target: (batch,) or ()
    """
    reduction = reduction_of(size_average, reduce, reduction)
    ndim = target.array.ndim
    if ndim > 1:
        raise RuntimeError(
            f"0D or 1D target tensor expected, multi-target not supported, got {ndim}D"
        )
    if not input1.array.ndim == input2.array.ndim == ndim + 1:
        raise RuntimeError(
            f"{ndim}D target tensor expects {ndim + 1}D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}."
        )
    norms = ((input1 * input1).sum(ndim) + 1e-12) * ((input2 * input2).sum(ndim) + 1e-12)
    cosine = (input1 * input2).sum(ndim) / norms.sqrt()
    loss = (1 - cosine) * target.eq(1) + (cosine - margin).clamp(min=0) * target.eq(-1)
    return reduced(loss, reduction)


@op("nn.functional")
def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the logistic loss of scores for targets 1 and -1."""
    return reduced(-logsigmoid(target * input), reduction_of(size_average, reduce, reduction))


@op("nn.functional")
def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the binary cross entropy of logits for each class, averaged over the classes."""
    reduction = reduction_of(size_average, reduce, reduction)
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    # The class dimension is that of the input: the target may have leading dimensions.
    dim = input.array.ndim - 1
    return reduced(loss.sum(dim) / input.array.shape[dim], reduction)


def _rows_of(name: str, input: Tensor, target_shape: tuple[int, ...], ndim: int) -> Tensor:
    """Reshape scores to one row per sample, and check the target's shape against them."""
    shape = input.array.shape
    if len(shape) > 2 or (len(shape) > 0 and shape[-1] == 0):
        raise RuntimeError(
            f"{name}: Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
            f"{list(shape)}"
        )
    rows: Tensor = input.reshape(shape if len(shape) == 2 else (1, input.array.size))
    wanted = shape if ndim == 2 else rows.array.shape[:1]
    is_single = len(shape) < 2 and (ndim == 1 or input.array.size == 1)
    if target_shape != wanted and not (is_single and target_shape in ((), (1,))):
        raise RuntimeError(
            f"{name}: inconsistent target size: {list(target_shape)} for size: {list(shape)}"
        )
    return rows


@op("nn.functional")
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the multi-class hinge loss of scores.

    Shapes:
        input: (batch, num_classes) or (num_classes,)
        target: (batch,) or ()
        weight: (num_classes,)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.array.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    rows = _rows_of("multi_margin_loss", input, target.array.shape, 1)
    num_classes = rows.array.shape[1]
    if weight is not None and weight.array.size != num_classes:
        raise RuntimeError(f"inconsistent weight size, expected {num_classes}")
    classes = target.reshape(rows.array.shape[0])
    if ((classes.array < 0) | (classes.array >= num_classes)).any():
        raise RuntimeError("target out of range")
    loss = relu(margin - pick(rows, classes).unsqueeze(1) + rows)
    loss = loss * loss if p == 2 else loss
    others = wrap(np.arange(num_classes) != classes.array[:, None])
    loss = (loss * others).sum(1) / num_classes
    if weight is not None:
        loss = loss * pick(weight.expand(rows.array.shape), classes)
    return reduced(loss if target.array.ndim else loss.squeeze(0), reduction)


@op("nn.functional")
def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the multi-label hinge loss of scores, with the margin 1.

    Shapes:
        input: (batch, num_classes) or (num_classes,)
        target: the shape of ``input``: the classes of each sample, terminated by -1
    """
    reduction = reduction_of(size_average, reduce, reduction)
    rows = _rows_of("multilabel_margin_loss", input, target.array.shape, 2)
    batch, num_classes = rows.array.shape
    classes = target.array.reshape(batch, num_classes)
    if ((classes < -1) | (classes >= num_classes)).any():
        raise RuntimeError("argument #2 'target' is out of range")
    is_named = np.logical_and.accumulate(classes != -1, axis=1)
    is_right = np.zeros((batch, num_classes + 1), bool)
    np.put_along_axis(is_right, np.where(is_named, classes, num_classes), True, 1)
    places = wrap(np.where(is_named, classes, 0))
    right = pick(rows.unsqueeze(2).expand(batch, num_classes, num_classes), places)
    loss = relu(1 - right.unsqueeze(2) + rows.unsqueeze(1))
    counts = wrap(is_named[:, :, None] & ~is_right[:, None, :-1])
    loss = (loss * counts).sum((1, 2)) / num_classes
    return reduced(loss if input.array.ndim == 2 else loss.squeeze(0), reduction)


@op("nn.functional")
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the triplet loss of anchor, positive and negative."""
    return triplet_margin_with_distance_loss(
        anchor, positive, negative, margin=margin, swap=swap,
        distance_function=lambda a, b: pairwise_distance(a, b, p, eps),
        reduction=reduction_of(size_average, reduce, reduction),
    )  # fmt: skip


@op("nn.functional")
def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Any] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Compute the triplet loss with a custom distance function."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.array.ndim == positive.array.ndim == negative.array.ndim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of "
            f"dimensions, but got: anchor {anchor.array.ndim}D, positive {positive.array.ndim}D, "
            f"and negative {negative.array.ndim}D inputs"
        )
    distance = distance_function or pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = far.minimum(distance(positive, negative))
    return reduced((margin + near - far).clamp(min=0), reduction)
