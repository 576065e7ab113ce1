"""``Tensor``: a NumPy array with an autograd history."""

from __future__ import annotations

import copy
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.described import Described
from torchstone.microtorch.described import dim_error as dim_error
from torchstone.microtorch.described import wrap_dim as wrap_dim
from torchstone.microtorch.device import CPU as CPU
from torchstone.microtorch.device import device as device
from torchstone.microtorch.device import expect_cpu
from torchstone.microtorch.grad_mode import state
from torchstone.microtorch.operated import Operated
from torchstone.microtorch.refusals import check_data, check_gradient, check_wish
from torchstone.microtorch.size import Size as Size
from torchstone.microtorch.valued import Valued

if TYPE_CHECKING:
    from torchstone.microtorch.autograd.node import AccumulateGrad, Node

Array = np.ndarray[Any, Any]
T = TypeVar("T", bound="Tensor")
F = TypeVar("F", bound=Callable[..., Any])
_new = object.__new__


class Tensor(Described, Valued, Operated):
    """NumPy array with an autograd history.

    Attributes:
        array: The elements; several tensors may share their memory.
    """

    # Attributes that every operation reads are slots. The others are class attributes until they
    # are set, so that creating a tensor is cheap.
    __slots__ = (
        "__dict__", "__weakref__", "_base", "_counter", "_edge", "_no_inplace", "_requires_grad",
        "_seen_version", "array",
    )  # fmt: skip
    array: Array
    # Gradient edge: the node that produced this tensor and the output number. None for a leaf.
    _edge: Node | None
    _requires_grad: bool
    # Version counter: the number of in-place writes to the memory. A list, so that all views share
    # it; created at the first read. None means that the memory was never written.
    _counter: list[int] | None
    # For a view: the tensor whose memory it shares.
    _base: Tensor | None
    # For a view: the version for which its history is valid, and the reason, if any, why in-place
    # operations on it or its base cannot be recorded.
    _seen_version: int
    _no_inplace: str | None
    _grad: Tensor | None = None
    _retains_grad = False
    _hooks: dict[int, Callable[[Tensor], Any]] | None = None
    _post_accumulate_hooks: dict[int, Callable[[Tensor], Any]] | None = None
    _accumulator: weakref.ref[AccumulateGrad] | None = None
    _inference = False
    # Makes NumPy defer binary operators to the tensor on the right.
    __array_priority__ = 1000.0
    __hash__ = object.__hash__

    if TYPE_CHECKING:
        # Operations are attached to the class by the modules that define them.
        def __getattr__(self, name: str) -> Any: ...

    def __new__(cls, *args: Any, device: Any = None) -> Self:
        """Create a tensor as the legacy constructor does: from data, or uninitialized by size."""
        expect_cpu(device)
        return _make(cls, constructed(args, dtypes.get_default_dtype()))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return an operation whose module is imported at first use."""
            from torchstone.microtorch.ops.namespace import load_seldom

            if not name.startswith("__") and load_seldom():
                return getattr(self, name)
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    # Autograd.

    @property
    def grad_fn(self) -> Node | None:
        """Return the node that produced the tensor; None for a leaf."""
        edge = self._current_edge()
        return None if edge is None else edge.node

    def _current_edge(self) -> Node | None:
        """Return the gradient edge; the history of a view is refreshed if its base has changed."""
        if self._base is not None:
            from torchstone.microtorch.autograd.inplace import refresh_view

            refresh_view(self)
        return self._edge

    @property
    def output_nr(self) -> int:
        """Return the index of this tensor among the outputs of ``grad_fn``."""
        edge = self._current_edge()
        return 0 if edge is None else edge.number

    @property
    def is_leaf(self) -> bool:
        """Return whether no recorded operation produced the tensor."""
        return self.grad_fn is None

    @property
    def requires_grad(self) -> bool:
        """Return whether gradients need to be computed for this tensor."""
        return self._requires_grad or (self._base is not None and self._base._requires_grad)

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        check_wish(self, wanted, state.inference)
        self._requires_grad = wanted

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set ``requires_grad``."""
        self.requires_grad = requires_grad
        return self

    @property
    def grad(self) -> Tensor | None:
        """Return the gradient accumulated by ``backward``."""
        return self._grad

    @grad.setter
    def grad(self, grad: Tensor | None) -> None:
        if grad is not None:
            check_gradient(self, grad)
        self._grad = grad

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def retains_grad(self) -> bool:
        """Return whether the gradient is retained although the tensor is not a leaf."""
        return self._retains_grad

    @property
    def _version(self) -> int:
        if self._inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        return self._counter[0] if self._counter else 0

    def bump_version(self) -> None:
        """Increment the version counter, which counts in-place writes to the memory."""
        if self._counter is None:
            self._counter = [0]
        self._counter[0] += 1

    @property
    def data(self) -> Tensor:
        """Return a tensor of the same memory without history; writes through it are not counted."""
        return wrap(self.lay_in_order())

    @data.setter
    def data(self, data: Tensor) -> None:
        check_data(self, data)
        self.array = data.lay_in_order()

    def detach(self) -> Tensor:
        """Return a tensor with the same memory and no history."""
        self.lay_in_order()
        result = alias(self)
        result._inference = self._inference
        return result

    def detach_(self) -> Self:
        """Detach the tensor from the graph in place."""
        if self._base is not None:
            raise RuntimeError("Can't detach views in-place. Use detach() instead.")
        self._edge, self._requires_grad = None, False
        return self

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Sequence[Tensor] | Tensor | None = None,
    ) -> None:
        """Accumulate the gradients of this tensor into the ``grad`` of the leaves of its graph."""
        from torchstone.microtorch.autograd.gradients import backward

        backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        if not self.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
                "protocol at the moment."
            )
        if id(self) in memo:
            return memo[id(self)]
        made = _make(type(self), self.array.copy(order="K"))
        memo[id(self)] = made
        made._requires_grad = self._requires_grad
        if self._grad is not None:
            made._grad = self._grad.__deepcopy__(memo)
        made.__dict__.update(copy.deepcopy(self._given(), memo))
        return made

    def _given(self) -> dict[str, Any]:
        """Return the attributes set by the user."""
        return {name: each for name, each in vars(self).items() if not hasattr(Tensor, name)}

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _rebuild, (type(self), self.array, self._requires_grad), self._given() or None


def _rebuild(kind: type[Tensor], array: Array, requires_grad: bool) -> Tensor:
    made = _make(kind, array)
    made._requires_grad = requires_grad
    return made


def constructed(args: tuple[Any, ...], dtype: dtypes.dtype) -> Array:
    """Create the array of a tensor as the legacy constructor does."""
    only = args[0] if len(args) == 1 else None
    if isinstance(only, Tensor):
        return only.array
    if isinstance(only, Size):
        args = only
    elif isinstance(only, float | complex | str):
        raise TypeError(f"new(): data must be a sequence (got {type(only).__name__})")
    elif only is not None and not isinstance(only, int | np.integer):
        return np.array(only, dtype.numpy)
    return np.empty(args if args or only is not None else (0,), dtype.numpy)


def _make(kind: type[T], array: Array) -> T:
    made = _new(kind)
    made.array = array
    made._edge = made._counter = made._base = None
    made._requires_grad = False
    if state.inference:
        made._inference = True
    return made


def wrap(array: Any) -> Tensor:
    """Create a tensor from an array, without a copy and without history."""
    if type(array) is np.ndarray:
        return _make(Tensor, array)
    if state.levels and hasattr(array, "batch"):
        # Inside ``vmap`` the array is one example; the tensor is the batch of all examples.
        return array.batch()
    # NumPy returns a scalar, not an array, for a full reduction.
    return _make(Tensor, np.asarray(array))


def alias(tensor: Tensor) -> Tensor:
    """Create a tensor that shares the memory and the version counter."""
    if tensor._counter is None:
        tensor._counter = [0]
    made = wrap(tensor.array)
    made._counter = tensor._counter
    return made


def attach(name: str, what: Any) -> None:
    """Set an attribute of the tensor class; operations attach themselves this way."""
    setattr(Tensor, name, what)


def method(function: F) -> F:
    """Attach a function to the tensor class as a method. A decorator."""
    attach(function.__name__, function)
    return function
