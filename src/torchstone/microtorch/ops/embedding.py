"""Embedding lookup: embedding, embedding_bag, one_hot."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.rounded import rounded_once
from torchstone.microtorch.ops.slices import summed_slices
from torchstone.microtorch.tensor import Array, Tensor, wrap


def _check_indices(indices: Array, count: int) -> None:
    if indices.dtype not in (np.int64, np.int32):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
            f"Long, Int; but got torch.{dtypes.of_numpy(indices.dtype).title}Tensor instead (while "
            "checking arguments for embedding)"
        )
    if indices.size and (indices.min() < 0 or indices.max() >= count):
        raise IndexError("index out of range in self")


def _factors(indices: Array, padding_idx: int, by_freq: bool) -> Array | None:
    """Return the weight of each index in the gradient; None if all weights are 1."""
    if by_freq:
        _, inverse, counts = np.unique(indices, return_inverse=True, return_counts=True)
        factors = (1.0 / counts)[inverse.reshape(indices.shape)]
        return factors * (indices != padding_idx)
    if padding_idx >= 0 and (indices == padding_idx).any():
        return np.asarray(indices != padding_idx, np.float64)
    return None


# Gather of rows and scatter-add into a table, which are each other's derivatives. ``padding_idx``
# affects only the gradient.


def _added(grad: Tensor, self_shape: Any, indices: Tensor, padding_idx: int, by_freq: bool) -> Any:
    return _add_rows(grad, indices, self_shape[0], padding_idx, by_freq)


@primitive(self=_added)
def _embedding(self: Array, indices: Array, padding_idx: int, by_freq: bool) -> Array:
    return np.take(self, indices, 0)


@primitive(self=_added)
def _scaled_rows(self: Array, indices: Array, padding_idx: int, by_freq: bool) -> Array:
    rows = np.take(self, indices, 0)
    factors = _factors(indices, padding_idx, by_freq)
    return rows if factors is None else rows * factors.astype(rows.dtype)[..., None]


@primitive(
    self=lambda grad, indices, padding_idx, by_freq: _scaled_rows(
        grad, indices, padding_idx, by_freq
    )
)
def _add_rows(self: Array, indices: Array, count: int, padding_idx: int, by_freq: bool) -> Array:
    flat, size = indices.reshape(-1), math.prod(self.shape[indices.ndim :])
    rows = self.reshape(flat.size, size)
    factors = _factors(flat, padding_idx, by_freq)
    if factors is not None:
        rows = rows * factors.astype(rows.dtype)[:, None]
    result = np.zeros((count, size), rows.dtype)
    if flat.size:
        numbers, sums = summed_slices(0, flat, rows)
        result[numbers] = sums
    return result


def _padding_of(padding_idx: int | None, count: int) -> int:
    if padding_idx is None:
        return -1
    if not -count <= padding_idx < count:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx % count


@op("nn.functional")
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Return the rows of a table at the given indices.

    Shapes:
        input: any; weight: (num_embeddings, embedding_dim) -> (*input, embedding_dim)

    Args:
        input: Row indices.
        weight: The table.
        padding_idx: Index of a row that gets no gradient.
        max_norm: Looked-up rows with a larger norm are scaled down to it, in place.
        norm_type: The p of that p-norm.
        scale_grad_by_freq: Divide the gradient of a row by the number of its occurrences.
        sparse: Not used; gradients are dense.
    """
    if weight.array.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    padding = _padding_of(padding_idx, weight.array.shape[0])
    _check_indices(input.array, weight.array.shape[0])
    if max_norm is not None:
        _shorten(weight, input.array, max_norm, norm_type)
    return _embedding(weight, input, padding, scale_grad_by_freq)


def _shorten(weight: Tensor, indices: Array, max_norm: float, norm_type: float) -> None:
    """Scale rows down to the maximum norm, in place."""
    places = np.unique(indices)
    rows = weight.array[places]
    lengths = np.linalg.norm(rows, norm_type, axis=1, keepdims=True)
    factors = np.where(lengths > max_norm, max_norm / (lengths + 1e-7), 1).astype(rows.dtype)
    weight.array[places] = rows * factors
    weight.bump_version()


@op("nn.functional")
@rounded_once
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Reduce the table rows of each bag of indices to their sum, mean or maximum.

    Shapes:
        input: (num_bags, bag_size), or (num_indices,) with ``offsets`` (num_bags,)
        weight: (num_embeddings, embedding_dim) -> (num_bags, embedding_dim)

    Args:
        input: Row indices.
        weight: The table.
        offsets: Start of each bag in ``input``.
        max_norm: As for ``embedding``.
        norm_type: As for ``embedding``.
        scale_grad_by_freq: As for ``embedding``.
        mode: "sum", "mean" or "max".
        sparse: Not used; gradients are dense.
        per_sample_weights: Factors of the rows, for "sum".
        include_last_offset: The last offset is the end of the last bag.
        padding_idx: Index of a row that is left out of the reduction.
    """
    if weight.array.dtype.kind == "i" and input.array.dtype.kind == "f":
        warnings.warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage "
            "`embedding_bag(weight, input, ...)` is deprecated, and should now be "
            "`embedding_bag(input, weight, ...)`.",
            stacklevel=2,
        )
        weight, input = input, weight
    _check_bags(input, weight, offsets, mode, scale_grad_by_freq, per_sample_weights)
    bags, num_bags = _bags_of(input, offsets, include_last_offset)
    input = input.reshape(-1)
    rows = embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq)
    counts = np.ones(bags.shape, bool)
    if padding_idx is not None:
        counts = input.array != padding_idx % weight.array.shape[0]
    if mode == "max" and counts.any():
        return _largest(rows, bags, counts, num_bags)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.reshape((-1, 1))
    factors = counts.astype(rows.array.dtype)
    if mode == "mean":
        sizes = np.bincount(bags, counts, minlength=num_bags)
        factors = (factors / np.maximum(sizes, 1)[bags]).astype(rows.array.dtype)
    return _add_rows(rows * wrap(factors[:, None]), wrap(bags), num_bags, -1, False)


def _check_bags(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None,
    mode: str,
    by_freq: bool,
    per_sample_weights: Tensor | None,
) -> None:
    if per_sample_weights is not None and per_sample_weights.array.shape != input.array.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then "
            f"it must have the same shape as the input ({input.shape})"
        )
    if weight.array.ndim != 2:
        raise ValueError(
            f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.array.ndim}"
        )
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported "
            f"for mode='sum' (got mode='{mode}')."
        )
    if input.array.ndim not in (1, 2):
        raise ValueError(
            f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.array.ndim}"
        )
    if input.array.ndim == 2 and offsets is not None:
        raise ValueError(
            "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of "
            f"fixed length sequences. However, found offsets of type {type(offsets)}"
        )
    if input.array.ndim == 1 and (offsets is None or offsets.array.ndim != 1):
        raise ValueError("offsets has to be a 1D Tensor" + " but got None" * (offsets is None))


def _bags_of(input: Tensor, offsets: Tensor | None, ends: bool) -> tuple[Array, int]:
    """Return the bag of each index, and the number of bags."""
    count = input.array.size
    if offsets is None:
        num_bags, size = input.array.shape
        return np.repeat(np.arange(num_bags), size), num_bags
    starts = offsets.array[:-1] if ends else offsets.array
    if offsets.array.size and offsets.array[0] != 0:
        raise RuntimeError(
            f"offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
            f"position 0. However, got {offsets.array[0]}"
        )
    if offsets.array.size and offsets.array[-1] > count:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {count}, but got "
            f"{offsets.array[-1]}"
        )
    return np.searchsorted(starts, np.arange(count), side="right") - 1, len(starts)


def _largest(rows: Tensor, bags: Array, counts: Array, num_bags: int) -> Any:
    """Return the maximum of each bag over its counted elements; zero for an empty bag.

    Shapes:
        rows: (num_indices, embedding_dim); bags, counts: (num_indices,)
    """
    values = rows.array[counts]
    places = np.flatnonzero(counts)
    owners = bags[counts]
    starts = np.flatnonzero(np.r_[True, owners[1:] != owners[:-1]])
    picked = np.zeros((num_bags, rows.array.shape[1]), np.int64)
    is_full = np.zeros((num_bags, 1), bool)
    best = np.maximum.reduceat(values, starts, axis=0)
    sizes = np.diff(np.r_[starts, len(owners)])
    # The index of the first maximum.
    candidates = np.where(values == np.repeat(best, sizes, 0), places[:, None], len(bags))
    picked[owners[starts]] = np.minimum.reduceat(candidates, starts, axis=0)
    is_full[owners[starts]] = True
    return rows.gather(0, wrap(picked)) * wrap(is_full)


@op("nn.functional")
def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Return one-hot vectors of class indices.

    Shapes:
        tensor: any -> (*tensor, num_classes)
    """
    array = tensor.array
    if array.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not array.size and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if array.size and array.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(array.max()) + 1
    elif num_classes < 1:
        raise RuntimeError("num_classes should be positive")
    if array.size and array.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return wrap((array[..., None] == np.arange(num_classes)).astype(np.int64))
