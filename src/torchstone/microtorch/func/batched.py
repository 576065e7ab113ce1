"""BatchedTensor: one example inside ``vmap``, stored as a physical tensor of the whole batch.

Inside ``vmap`` a function sees a tensor with the shape of one example. It wraps another tensor,
``physical``, with a leading batch dimension. Every operation runs, and is recorded, on the physical
tensor, so gradients need no special treatment. In nested ``vmap``s, ``physical`` is itself batched.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from torchstone.microtorch.autograd.node import Node, gradient_edge, wants_gradient
from torchstone.microtorch.func.tree import leaves_of
from torchstone.microtorch.tensor import Array, Tensor, alias

# NumPy functions that need only the shape and dtype of an array.
_OF_SHAPE = (np.empty_like, np.zeros_like, np.ones_like, np.shape, np.ndim, np.size, np.result_type)


class ReadsValues(TypeError, RuntimeError):
    """Raised when a function reads values of a batched tensor."""


def _no_item(*_: Any) -> NoReturn:
    raise ReadsValues(
        "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over "
        "calling .item() on a Tensor, please try to rewrite what you're doing with other "
        "operations."
    )


def _no_control_flow(*_: Any) -> NoReturn:
    raise ReadsValues(
        "vmap: It looks like you're attempting to use a Tensor in some data-dependent control "
        "flow. We don't support that yet; torch.where chooses for each example by itself."
    )


def _no_values(*_: Any, **__: Any) -> NoReturn:
    raise ReadsValues(
        "vmap: a function reads the values of a batched Tensor. Operations whose "
        "result has a shape that depends on values, and those without a rule, can't be mapped."
    )


class Example(np.ndarray[Any, Any]):
    """Placeholder array of one example: it has a shape and a dtype, but no readable values."""

    # The batched tensor it is an example of; arrays derived from it have no owner.
    owner: Callable[[], BatchedTensor | None] | None = None

    def batch(self) -> Tensor:
        """Return the batched tensor it is an example of, without history."""
        batched = self.owner and self.owner()
        return _no_values() if batched is None else alias_of(batched)

    def copy(self, order: Any = "C") -> Any:
        """Copy the batched tensor it is an example of."""
        batched = self.owner and self.owner()
        if batched is None:
            return super().copy(order)
        # Only the copied array refers to the new tensor.
        kept = BatchedTensor(alias_of(batched).clone().physical, batched.level)
        made = kept.array.view(Example)
        made.owner = lambda: kept
        return made

    def __array_ufunc__(self, *args: Any, **kwargs: Any) -> Any:
        _no_values()

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function not in _OF_SHAPE:
            _no_values()
        plain = [each.view(np.ndarray) if isinstance(each, Example) else each for each in args]
        return function(*plain, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return found if isinstance(found, np.ndarray) else _no_values()

    item = tolist = __int__ = __float__ = __complex__ = __index__ = _no_item
    __bool__ = _no_control_flow
    __iter__ = fill = __setitem__ = _no_values


class BatchedTensor(Tensor):
    """Tensor inside ``vmap``: one example of a batch.

    Attributes:
        physical: All examples, along dimension 0.
        level: The ``vmap`` level of the batch dimension.
    """

    __slots__ = ("_example", "level", "physical")
    physical: Tensor
    level: Any
    _example: Example | None
    # View tracking is done on the physical tensors.
    _base = None
    _no_inplace = None

    def __new__(cls, physical: Tensor, level: Any) -> BatchedTensor:
        """Create a batched tensor from a physical one."""
        made = object.__new__(cls)
        made.physical, made.level, made._example = physical, level, None
        return made

    @property
    def array(self) -> Array:
        """Return the placeholder of one example; only its shape and dtype may be read."""
        if self._example is None:
            whole = self.physical.array
            if whole.shape[0]:
                first = np.ndarray.__getitem__(whole, (0, ...))
            else:
                first = np.empty(whole.shape[1:], whole.dtype)
            self._example = example = first.view(Example)
            example.owner = weakref.ref(self)
        return self._example

    @array.setter
    def array(self, array: Array) -> None:
        _no_values()

    @property
    def _requires_grad(self) -> bool:
        return wants_gradient(self.physical)

    @_requires_grad.setter
    def _requires_grad(self, wanted: bool) -> None:
        self.physical.requires_grad_(wanted)

    @property
    def _edge(self) -> Node | None:  # type: ignore[override]
        return gradient_edge(self.physical)

    @property
    def _counter(self) -> list[int] | None:
        return self.physical._counter

    @_counter.setter
    def _counter(self, counter: list[int] | None) -> None:
        self.physical._counter = counter

    def lay_in_order(self) -> Array:
        """Return the placeholder of one example; the storage belongs to the physical tensor."""
        return self.array

    def __bool__(self) -> bool:
        _no_control_flow()

    def numpy(self, *, force: bool = False) -> Array:
        """Raise an error: there is more than one array."""
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def __repr__(self) -> str:
        return f"BatchedTensor(lvl={self.level.depth}, bdim=0, value={self.physical!r})"


def alias_of(batched: BatchedTensor) -> BatchedTensor:
    """Return a batched tensor with the same memory and no history."""
    return BatchedTensor(alias(batched.physical), batched.level)


# Moving between levels.


def deepest(tree: Any) -> Any:
    """Return the innermost ``vmap`` level of the tensors in a tree; None if there is none."""
    found = None
    for each in leaves_of(tree):
        if isinstance(each, Example):
            each = each.owner and each.owner()
        if isinstance(each, BatchedTensor) and (not found or each.level.depth > found.depth):
            found = each.level
    return found


def is_over(value: Any, level: Any) -> bool:
    """Return whether a tensor is batched at a level, at any nesting depth."""
    while isinstance(value, BatchedTensor):
        if value.level is level:
            return True
        value = value.physical
    return False


def lower(tensor: Tensor, level: Any) -> Tensor:
    """Move the batch dimension of a level to dimension 0; expand if there is none."""
    if isinstance(tensor, BatchedTensor) and tensor.level is level:
        return tensor.physical
    if isinstance(tensor, BatchedTensor) and tensor.level.depth > level.depth:
        return BatchedTensor(lower(tensor.physical, level).transpose(0, 1), tensor.level)
    return tensor.expand(level.size, *tensor.array.shape)


def lift(tensor: Tensor, level: Any) -> Tensor:
    """Turn dimension 0 into the batch dimension of a level: the inverse of ``lower``."""
    if isinstance(tensor, BatchedTensor) and tensor.level.depth > level.depth:
        return BatchedTensor(lift(tensor.physical.transpose(0, 1), level), tensor.level)
    return BatchedTensor(tensor, level)


def lower_all(tensor: Tensor, levels: Sequence[Any]) -> Tensor:
    """Move the batch dimensions of several levels, outermost first, to the front."""
    for level in reversed(levels):
        tensor = lower(tensor, level)
    return tensor


def lift_all(tensor: Tensor, levels: Sequence[Any]) -> Tensor:
    """Undo ``lower_all``."""
    for level in levels:
        tensor = lift(tensor, level)
    return tensor


def levels_of(tensor: Tensor) -> list[Any]:
    """Return the levels at which a tensor is batched, outermost first."""
    found: list[Any] = []
    while isinstance(tensor, BatchedTensor):
        found.insert(0, tensor.level)
        tensor = tensor.physical
    return found
