"""In-place operations: version counters and the autograd history of bases and views.

A result is computed as usual, then written into its target, and the target takes over its history.
If the target is a view, the history of its base now includes this write. Every other view of that
base then updates its history the next time the history is read.
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

# What about the making of a view may forbid to write it, or its base, with a history.
NO_GRAD, INFERENCE, SEVERAL = "no_grad", "inference", "several"


class Layout:
    """Where the elements of an array lie; it holds no memory."""

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
        """Find each element among those of a base.

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
    """A step between a base and a view of it: notes where both lie, looked at only in backward."""

    __slots__ = ("base", "view")
    base: Layout
    view: Layout

    @classmethod
    def between(cls, base: Tensor, view: Tensor) -> _PartOfBase:
        """Make one."""
        node = cls()
        node.saved = []
        node.base, node.view = Layout(base.array), Layout(view.array)
        return node

    def places(self) -> Tensor:
        """Return the places of the view's elements in the base laid flat."""
        return wrap(self.view.places_in(self.base))


class CopySlices(_PartOfBase):
    """A part of a base was written: its edges lead to the base before, and what was written."""

    __slots__ = ()

    def apply(self, *grads: Tensor | None) -> Sequence[Tensor | None]:
        """Split the gradient."""
        (grad,) = grads
        assert grad is not None
        if self.saved is None:
            # As in PyTorch: the error is that of the operation that wrote the part.
            raise freed()
        flat, places = grad.reshape(-1), self.places()
        before, written = self.edges
        return (
            flat.index_fill(0, places, 0).reshape(self.base.shape) if before else None,
            flat.index_select(0, places).reshape(self.view.shape) if written else None,
        )


class AsStridedBackward0(_PartOfBase):
    """A view of a base that was written in place."""

    __slots__ = ()

    def apply(self, *grads: Tensor | None) -> Sequence[Tensor | None]:
        """Put the gradient where the view lies in its base."""
        (grad,) = grads
        assert grad is not None
        flat = grad.new_zeros((math.prod(self.base.shape),))
        return (flat.index_add(0, self.places(), grad.reshape(-1)).reshape(self.base.shape),)


class Overwritten(Node):
    """All of a tensor was written with what requires no gradient."""

    __slots__ = ()

    def apply(self, *grads: Tensor | None) -> Sequence[Tensor | None]:
        """Return zeros: what was there before counts no more."""
        (grad,) = grads
        assert grad is not None
        return (grad.new_zeros(self.shape),)


def check_writable(target: Tensor, *sources: Any, may_overlap: bool = False) -> None:
    """Raise an error where PyTorch refuses an in-place write.

    Args:
        target: The tensor that is to be written.
        sources: Of what.
        may_overlap: All elements get the same value: several of them may share a place.

    Raises:
        RuntimeError: A leaf that requires a gradient would change, or a view that may not.
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
    """Return whether elements share a place, because a dimension has no stride."""
    return (
        0 in array.strides
        and array.size > 1
        and any(s == 0 and size > 1 for s, size in zip(array.strides, array.shape, strict=True))
    )


def refuse_overlap(array: Array) -> None:
    """Raise an error for a write to read-only memory, or where elements overlap.

    Raises:
        RuntimeError: It is so.
    """
    if is_expanded(array):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a "
            "single memory location. Please clone() the tensor before performing the operation."
        )
    if not array.flags.writeable:
        raise RuntimeError("the array under this tensor is read-only; clone() the tensor first.")


def refuse_sources(target: Tensor, *sources: Any, even_itself: bool = False) -> None:
    """Raise an error for a write to memory that the operation still reads elsewhere.

    Raises:
        RuntimeError: A source shares some of the target's memory, but is not just that.
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
    # Of a dimension that an index added NumPy's stride is 0.
    return one.ndim == other.ndim and all(
        a == b or (size == 1 and 0 in (a, b))
        for a, b, size in zip(one.strides, other.strides, one.shape, strict=True)
    )


def _is_dense(array: Array) -> bool:
    low, high = byte_bounds(array)
    return high - low == array.nbytes


def _check_history(target: Tensor) -> None:
    """Raise an error for a tensor that cannot get a new history."""
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
    """Raise an error for a view and a base of different element types."""
    if view.array.dtype != base.array.dtype:
        raise NotImplementedError(
            f"a view of {view.dtype} on a base of {base.dtype} has no gradient here after an "
            "in-place write to one of them; use an operation that is not in place."
        )


def _refusal(view: Tensor, what: str) -> RuntimeError:
    """Return the error for a view whose history PyTorch cannot determine."""
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
    """Write a result into a tensor, which takes over its history.

    Args:
        target: The tensor.
        result: What it is to become.
        mark: A number older than the nodes that made the result: what these have saved of the
            target itself is kept as it was.
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
            # What the node saved of its result is now the target's memory.
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
    """Replace saved references to the target by a copy in the nodes of this operation.

    Only as its first argument: ``x.mul_(x)`` stays the error that it is in PyTorch.
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
    """Find the history of a view again, if its base was written since.

    Raises:
        RuntimeError: It was made in a way that leaves open what its history would be.
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
