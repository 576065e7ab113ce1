"""Elementwise primitives, with type promotion and broadcasting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.autograd.node import SavedTensor, accumulator, next_number, tracing
from torchstone.microtorch.grad_mode import state
from torchstone.microtorch.ops.broadcasting import as_runtime_error, expect_tensors
from torchstone.microtorch.ops.op_math import HALF, SINGLE, in_single
from torchstone.microtorch.ops.primitive import Conjugated, Operation, Primitive, Rule
from torchstone.microtorch.tensor import Array, Tensor, wrap

_new = object.__new__


class Elementwise(Primitive):
    """Elementwise primitive, with type promotion and broadcasting.

    Attributes:
        ufunc: The NumPy function.
        keeps_integers: Integers give integers; otherwise they are promoted to floats.
    """

    names: ClassVar[tuple[str, ...]]

    def __init__(
        self,
        name: str,
        ufunc: Callable[..., Any],
        rules: dict[str, Rule],
        *,
        keeps_integers: bool,
        node: type[Operation] | None = None,
    ) -> None:
        super().__init__(name, ufunc, rules, names=self.names)
        if node is not None:
            self.node = node
            node.op = self
        self.complex_node: type[Operation] = type(
            self.node.__name__, (Conjugated,), {"__slots__": (), "op": self}
        )
        self.keeps_integers = keeps_integers
        self._whole = "iub" if not keeps_integers else ""

    def node_for(self, results: Any) -> type[Operation]:
        """Return the node type for the dtype of the result."""
        return self.complex_node if results.array.dtype.kind == "c" else self.node

    def compute(self, *arrays: Array) -> Tensor:
        """Compute the result, raising PyTorch's errors."""
        try:
            # NumPy ufuncs compute half precision in single precision internally.
            is_plain = type(self.forward) is np.ufunc and arrays[-1].dtype is arrays[0].dtype
            return wrap(self.forward(*arrays) if is_plain else in_single(self.forward, arrays))
        except TypeError:
            name = dtypes.of_numpy(arrays[0].dtype).title
            raise NotImplementedError(f"\"{self.__name__}\" not implemented for '{name}'") from None
        except ValueError as error:
            raise as_runtime_error(error, *arrays) from None


class Unary(Elementwise):
    """Elementwise primitive with one operand."""

    names = ("self",)

    def __call__(self, x: Any) -> Tensor:
        """Compute the result, and record the operation if the input requires a gradient."""
        if not isinstance(x, Tensor):
            expect_tensors(self.__name__, input=x)
        if state.levels and (batched := state.levels[-1].apply(self, (x,))) is not None:
            return batched
        array = x.array
        if array.dtype.kind in self._whole:
            array = array.astype(dtypes.get_default_dtype().numpy)
        return self.finish(self.compute(array), (x,))


class Binary(Elementwise):
    """Elementwise primitive with two operands.

    Attributes:
        numbers: Which operand may be a Python scalar: "either", "other" (the second), or "none".
        keeps_scalars: A 0-d second operand is not rounded to half precision.
    """

    names = ("self", "other")
    # Saved scalars count as tensors in PyTorch, so these are freed as well.
    let_go = (SavedTensor, np.ndarray, int, float, complex)
    numbers = "either"
    keeps_scalars = False

    def __call__(self, a: Any, b: Any) -> Tensor:
        """Promote the operands, compute, and record the operation if one requires a gradient."""
        if state.levels and (batched := state.levels[-1].apply(self, (a, b))) is not None:
            return batched
        x, y = self.promoted(a, b)
        result = self.compute(x, y)
        if self.savable:
            # Gradient rules take tensors.
            a = a if isinstance(a, Tensor) else wrap(x)
            b = b if isinstance(b, Tensor) else wrap(y)
        return self.finish(result, (a, b))

    def function(self) -> Callable[[Any, Any], Tensor]:
        """Return a function with a fast path for two tensors of one dtype."""
        forward, general, save = _guarded(self.forward), self.__call__, self.save
        node_type, savable = self.node, bool(self.savable)
        rare = self._whole + ("c" if savable else "")
        is_partial = len(self.rules) < 2

        def call(a: Any, b: Any) -> Tensor:
            try:
                x, y = a.array, b.array
            except AttributeError:
                return general(a, b)
            if x.dtype is not y.dtype or (rare and x.dtype.kind in rare):
                return general(a, b)
            try:
                out = forward(x, y)
            except (ValueError, TypeError):
                return general(a, b)
            result = _new(Tensor)
            result.array = out = out if type(out) is np.ndarray else np.asarray(out)
            result._edge = result._counter = result._base = None
            result._requires_grad = False
            is_view = a._base is not None or b._base is not None
            if is_view or is_partial or not state.enabled or tracing.anomaly:
                return self.finish(result, (a, b))
            if not a._requires_grad and not b._requires_grad:
                return result
            node = _new(node_type)
            node.edges = (
                (a._edge or accumulator(a)) if a._requires_grad else None,
                (b._edge or accumulator(b)) if b._requires_grad else None,
            )
            node.order = -next_number()
            node.extra = None
            node.shape, node.dtype = out.shape, x.dtype
            result._edge, result._requires_grad = node, True
            node.saved = save(node, result, (a, b)) if savable else ()
            return result

        return call

    def promoted(self, a: Any, b: Any) -> list[Array]:
        """Convert both operands to arrays of their common dtype."""
        if not isinstance(b, Tensor):
            self._check_number(b, "other", 2, allowed=self.numbers != "none")
        if not isinstance(a, Tensor):
            is_allowed = self.numbers == "either" and isinstance(b, Tensor)
            self._check_number(a, "input", 1, allowed=is_allowed)
        elif type(b) in (int, float) and a.array.dtype.kind in "fc":
            keeps = self.keeps_scalars and a.array.dtype is HALF
            return [a.array, np.asarray(b, SINGLE if keeps else a.array.dtype)]
        wanted = dtypes.result_type(a, b)
        if wanted.kind < dtypes.FLOAT and not self.keeps_integers:
            wanted = dtypes.get_default_dtype()
        x, y = dtypes.coerce((a, b), wanted)
        if self.keeps_scalars and wanted is dtypes.float16 and not y.ndim:
            (y,) = dtypes.coerce((b,), dtypes.float32)
        return [x, y]

    def _check_number(self, value: Any, name: str, position: int, *, allowed: bool) -> None:
        is_number = isinstance(value, int | float | complex | np.number | np.bool_)
        if not allowed or not is_number:
            raise TypeError(
                f"{self.__name__}(): argument '{name}' (position {position}) must be Tensor, not "
                f"{type(value).__name__}"
            )


def _guarded(forward: Callable[..., Any]) -> Callable[..., Any]:
    """Make functions other than ufuncs reject ``vmap`` and half precision on the fast path."""

    def checked(x: Array, y: Array) -> Any:
        if state.levels or x.dtype is HALF:
            raise TypeError
        return forward(x, y)

    return forward if isinstance(forward, np.ufunc) else checked
