"""In-place operations: version counters and the autograd history of bases and views.

The result is computed out of place and copied into the target, which takes over its history. If the
target is a view, the history of its base then includes this write. Every other view of that base
refreshes its history the next time the history is read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from torchstone.microtorch import dtypes
from torchstone.microtorch.autograd.node import (
    Node,
    SavedTensor,
    freed,
    gradient_edge,
    wants_gradient,
)
from torchstone.microtorch.grad_mode import state
from torchstone.microtorch.refusals import operation_of
from torchstone.microtorch.tensor import Array, Tensor, wrap

# Reasons why a view, or its base, cannot be written with a recorded history.
NO_GRAD, INFERENCE, SEVERAL = "no_grad", "inference", "several"


class Layout:
    """Memory layout of an array, without a reference to its memory."""

    __slots__ = ("address", "is_contiguous", "itemsize", "shape", "strides")

    def __init__(self, array: Array) -> None:
        self.address = int(array.__array_interface__["data"][0])
        self.shape, self.strides, self.itemsize = array.shape, array.strides, array.itemsize
        self.is_contiguous = array.flags.c_contiguous

    def addresses(self) -> Array:
        """Return the address of every element, in bytes."""
        grid = np.full(self.shape, self.address, np.int64)
        for dim, (size, step) in enumerate(zip(self.shape, self.strides, strict=True)):
            steps = np.arange(size, dtype=np.int64) * step
            grid += steps.reshape((-1,) + (1,) * (len(self.shape) - dim - 1))
        return grid.reshape(-1)

    def places_in(self, base: Layout) -> Array:
        """Return the flat indices of the elements in a base array.

        Shapes:
            -> (size,): indices into the base laid flat.
        """
        addresses = self.addresses()
        if base.is_contiguous:
            return (addresses - base.address) // base.itemsize
        own = base.addresses()
        order = np.argsort(own, kind="stable")
        return order[np.searchsorted(own, addresses, sorter=order)]


class _PartOfBase(Node):
    """Node between a base and a view of it, with both layouts; these are read only in backward."""

    __slots__ = ("base", "view")
    base: Layout
    view: Layout

    @classmethod
    def between(cls, base: Tensor, view: Tensor) -> _PartOfBase:
        """Create a node."""
        node = cls()
        node.saved = []
        node.base, node.view = Layout(base.array), Layout(view.array)
        return node

    def places(self) -> Tensor:
        """Return the indices of the view's elements in the flattened base."""
        return wrap(self.view.places_in(self.base))


class CopySlices(_PartOfBase):
    """Node for a base that was partially written.

    Its inputs are the base before the write and the written values.
    """

    __slots__ = ()

    def apply(self, *grads: Tensor | None) -> Sequence[Tensor | None]:
        """Split the gradient between the old base and the written values."""
        (grad,) = grads
        assert grad is not None
        if self.saved is None:
            # As in PyTorch, the error is that of the operation that wrote the part.
            raise freed()
        flat, places = grad.reshape(-1), self.places()
        before, written = self.edges
        return (
            flat.index_fill(0, places, 0).reshape(self.base.shape) if before else None,
            flat.index_select(0, places).reshape(self.view.shape) if written else None,
        )


class AsStridedBackward0(_PartOfBase):
    """Node for a view of a base that was written in place."""

    __slots__ = ()

    def apply(self, *grads: Tensor | None) -> Sequence[Tensor | None]:
        """Scatter the gradient to the positions of the view in its base."""
        (grad,) = grads
        assert grad is not None
        flat = grad.new_zeros((math.prod(self.base.shape),))
        return (flat.index_add(0, self.places(), grad.reshape(-1)).reshape(self.base.shape),)


class Overwritten(Node):
    """Node for a tensor that was overwritten with values that require no gradient."""

    __slots__ = ()

    def apply(self, *grads: Tensor | None) -> Sequence[Tensor | None]:
        """Return zeros: the old values no longer contribute."""
        (grad,) = grads
        assert grad is not None
        return (grad.new_zeros(self.shape),)


def check_writable(target: Tensor, *sources: Any, may_overlap: bool = False) -> None:
    """Raise an error where PyTorch rejects an in-place write.

    Args:
        target: The tensor to be written.
        sources: The tensors that the new values depend on.
        may_overlap: Allow elements that share memory, because all are set to the same value.

    Raises:
        RuntimeError: A leaf that requires a gradient, or a view that must not change, would be
            written.
    """
    if not isinstance(target, Tensor):
        raise TypeError(f"an operation in place needs a tensor, not {type(target).__name__}")
    if target._inference and not state.inference:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make "
            "a clone to get a normal tensor before doing inplace update.See "
            "https://github.com/pytorch/rfcs/pull/17 for more details."
        )
    if not may_overlap or not target.array.flags.writeable:
        refuse_overlap(target.array)
    if state.enabled and (
        wants_gradient(target) or (sources and any(wants_gradient(each) for each in sources))
    ):
        _check_history(target)


def is_expanded(array: Array) -> bool:
    """Return whether elements share memory because a dimension has stride 0."""
    return (
        0 in array.strides
        and array.size > 1
        and any(s == 0 and size > 1 for s, size in zip(array.strides, array.shape, strict=True))
    )


def refuse_overlap(array: Array) -> None:
    """Raise an error for a write to read-only memory, or to elements that share memory.

    Raises:
        RuntimeError: The memory is read-only, or elements share memory.
    """
    if is_expanded(array):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a "
            "single memory location. Please clone() the tensor before performing the operation."
        )
    if not array.flags.writeable:
        raise RuntimeError("the array under this tensor is read-only; clone() the tensor first.")


def refuse_sources(target: Tensor, *sources: Any, even_itself: bool = False) -> None:
    """Raise an error for a write to memory that partially overlaps a source.

    Raises:
        RuntimeError: A source shares memory with the target but is not identical to it.
    """
    for source in sources:
        if not isinstance(source, Tensor):
            continue
        shares = source._counter is not None and source._counter is target._counter
        if (source is target and even_itself and source.array.size) or (
            shares and _is_partial(target.array, source.array, even_itself)
        ):
            raise RuntimeError(
                "unsupported operation: some elements of the input tensor and the written-to "
                "tensor refer to a single memory location. Please clone() the tensor before "
                "performing the operation."
            )


def _is_partial(one: Array, other: Array, even_itself: bool) -> bool:
    if not one.size or not other.size or not (_is_dense(one) and _is_dense(other)):
        return False
    (low, high), (start, end) = byte_bounds(one), byte_bounds(other)
    if (low, high) == (start, end):
        return even_itself or not _has_strides_of(one, other)
    return low < end and start < high


def _has_strides_of(one: Array, other: Array) -> bool:
    # NumPy's stride is 0 for a dimension added by indexing.
    return one.ndim == other.ndim and all(
        a == b or (size == 1 and 0 in (a, b))
        for a, b, size in zip(one.strides, other.strides, one.shape, strict=True)
    )


def _is_dense(array: Array) -> bool:
    low, high = byte_bounds(array)
    return high - low == array.nbytes


def _check_history(target: Tensor) -> None:
    """Raise an error for a tensor whose history cannot be replaced."""
    base = target._base
    if base is None:
        if target._requires_grad and target._edge is None:
            raise RuntimeError(
                "a leaf Variable that requires grad is being used in an in-place operation."
            )
        return
    if target._no_inplace is not None:
        raise _refusal(target, "is being modified inplace")
    _refuse_other_type(target, base)
    if target.requires_grad and base._edge is None:
        raise RuntimeError(
            "a view of a leaf Variable that requires grad is being used in an in-place operation."
        )


def _refuse_other_type(view: Tensor, base: Tensor) -> None:
    """Raise an error for a view and a base of different dtypes."""
    if view.array.dtype != base.array.dtype:
        raise NotImplementedError(
            f"a view of {view.dtype} on a base of {base.dtype} has no gradient here after an "
            "in-place write to one of them; use an operation that is not in place."
        )


def _refusal(view: Tensor, what: str) -> RuntimeError:
    """Create the error for a view whose history PyTorch cannot determine."""
    node = view._edge
    who = f"Output {node.number} of {operation_of(node.node)} is a view and" if node else ""
    if view._no_inplace is SEVERAL:
        return RuntimeError(
            f"{who or 'A view'} {what}. This view is the output of a function that returns "
            "multiple views. Such functions do not allow the output views to be modified inplace. "
            "You should replace the inplace operation by an out-of-place one."
        )
    mode = view._no_inplace
    who = who or f"A view was created in {mode} mode and"
    return RuntimeError(
        f"{who} {what} with grad mode enabled. Given that this use case is ambiguous and "
        "error-prone, it is forbidden. You can clarify your code by moving both the view and the "
        f"inplace either both inside the {mode} block (if you don't want the inplace to be "
        "tracked) or both outside (if you want the inplace to be tracked)."
    )


def replace(target: Tensor, result: Tensor, mark: int | None = None) -> Tensor:
    """Copy a result into a tensor, which takes over its history.

    Args:
        target: The tensor to be written.
        result: The new value.
        mark: A sequence number lower than those of the nodes that computed the result; what these
            saved of the target keeps its old value.
    """
    if state.levels and state.levels[-1].write(target, result, mark):
        return target
    if result.array.shape != target.array.shape:
        raise RuntimeError(
            f"output with shape {list(target.shape)} doesn't match the broadcast shape "
            f"{list(result.shape)}"
        )
    if result.array.dtype is not target.array.dtype:
        if not dtypes.can_cast(result.dtype, target.dtype):
            raise RuntimeError(
                f"result type {result.dtype.title} can't be cast to the desired output type "
                f"{target.dtype.title}"
            )
        result = result._cast(target.array.dtype)
    if result._requires_grad and state.enabled:
        _check_history(target)
        if mark is not None:
            _keep_what_was(target, result, mark)
    np.copyto(target.array, result.array)
    target.bump_version()
    if state.enabled:
        take_over(target, result)
    return target


def take_over(target: Tensor, result: Tensor) -> None:
    """Rebase the history of a tensor after an in-place write."""
    edge = gradient_edge(result)
    if edge is not None:
        saved = edge.node.saved
        if isinstance(saved, list):
            # The node saved its result, whose values are now in the target's memory.
            for place, each in enumerate(saved):
                if type(each) is SavedTensor and each.output_nr is not None:
                    saved[place] = SavedTensor(target, each.output_nr)
    if target._base is not None:
        if edge is not None or target._base._requires_grad:
            write_part(target, result)
    elif edge is not None:
        target._edge, target._requires_grad = edge, True
    elif target._requires_grad:
        node: Node = Overwritten()
        node.saved = None
        node.record([target], [target])


def _keep_what_was(target: Tensor, result: Tensor, mark: int) -> None:
    """Replace references to the target, saved by the nodes of this operation, by a copy.

    This applies only to the first argument: ``x.mul_(x)`` remains an error, as in PyTorch.
    """
    nodes: list[Node | None] = [result._edge]
    kept: Tensor | None = None
    while nodes:
        node = nodes.pop()
        if node is None or node.order > -mark:
            continue
        node = node.node
        nodes.extend(node.edges)
        savable = getattr(getattr(node, "op", None), "savable", ())
        for place, what in enumerate(savable if isinstance(node.saved, list) else ()):
            each = node.saved[place]
            if what == ("argument", 0) and isinstance(each, SavedTensor) and each.tensor is target:
                if kept is None:
                    kept = wrap(target.array.copy())
                    kept._edge, kept._requires_grad = gradient_edge(target), wants_gradient(target)
                node.saved[place] = SavedTensor(kept)


def write_part(target: Tensor, result: Tensor) -> None:
    """Rebase the history of a view and of its base after an in-place write."""
    base = target._base
    assert base is not None
    CopySlices.between(base, target).record([base], [base, result])
    refresh_view(target)


def refresh_view(view: Tensor) -> None:
    """Refresh the history of a view if its base was written since it was last read.

    Raises:
        RuntimeError: The view was created in a way that leaves its history undefined.
    """
    base = view._base
    assert base is not None
    version = view._version
    if view._seen_version == version or not (view._edge or base._requires_grad):
        return
    if view._no_inplace is not None:
        raise _refusal(view, "or its base has been modified inplace")
    _refuse_other_type(view, base)
    view._seen_version = version
    AsStridedBackward0.between(base, view).record([view], [base])
