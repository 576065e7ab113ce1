"""Maximum and minimum reductions: max, min, amax, amin, argmax, argmin, aminmax."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from torchstone.microtorch import return_types
from torchstone.microtorch.ops.along import found
from torchstone.microtorch.ops.namespace import named, op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.primitive import Primitive, primitive
from torchstone.microtorch.ops.reductions import Dims, dims_of, expect, restore
from torchstone.microtorch.tensor import Array, Tensor, wrap_dim


@primitive()
def shares(self: Array, extreme: Array, dims: tuple[int, ...], finds_nan: bool) -> Any:
    """Return equal weights, summing to 1, for the elements that attain the extreme.

    If the extreme is NaN, the NaN elements share the weight if ``finds_nan``; otherwise the weights
    are NaN.
    """
    is_it = self == extreme
    if finds_nan:
        is_it |= (self != self) & (extreme != extreme)
    return is_it / np.add.reduce(is_it, dims, self.dtype, keepdims=True)


def even_rule(
    grad: Tensor, self: Tensor, result: Tensor, dims: Any, keepdim: bool, finds_nan: bool
) -> Tensor:
    """Return the gradient of a reduction that selects one value of its input."""
    shape = self.array.shape
    part = shares(self, restore(result, shape, dims, keepdim), dims, finds_nan)
    return restore(grad, shape, dims, keepdim) * part


def _primitives(end: str) -> tuple[Primitive, Primitive]:
    """Create the primitives for the maximum or minimum, and for its index."""
    ufunc, find = getattr(np, f"{end}imum"), getattr(np, f"arg{end}")

    def extreme(self: Array, dims: tuple[int, ...], keepdim: Any, finds_nan: bool) -> Any:
        return ufunc.reduce(self, dims, keepdims=keepdim)

    def place(self: Array, dim: int) -> Any:
        return find(self, axis=dim, keepdims=True) if self.ndim else np.zeros((), np.int64)

    made = primitive(self=even_rule)(named(extreme, f"a{end}"))
    return made, primitive()(named(place, f"arg{end}"))


_amax, _argmax = _primitives("max")
_amin, _argmin = _primitives("min")


def refuse_empty(name: str, input: Tensor, dims: tuple[int, ...] | None, kind: Any) -> None:
    """Raise an error for the extreme of an empty dimension.

    Raises:
        IndexError: A reduced dimension has no elements; for a full reduction the error is ``kind``.
    """
    shape = input.array.shape
    if dims is None:
        if not input.array.size:
            raise kind(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
                "Specify the reduction dim with the 'dim' argument."
            )
        return
    for dim in dims:
        if shape and not shape[dim]:
            raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")


def _extreme(
    name: str, made: Any, input: Tensor, dim: Dims, keepdim: bool, out: Tensor | None = None
) -> Tensor:
    expect(name, input, "fiub")
    names_all = dim is None or (not isinstance(dim, int) and not len(dim))
    dims = dims_of(dim, input.array.ndim)
    refuse_empty(name, input, None if names_all else dims, RuntimeError)
    if out is not None and out.dtype is not input.dtype:
        raise RuntimeError(
            f"Expected the dtype for input and out to match, but got {input.dtype} "
            f"for input's dtype and {out.dtype} for out's dtype."
        )
    return into(out, made(input, dims, keepdim, name in ("max", "min")))


@op()
def aminmax(
    input: Tensor,
    *,
    dim: int | None = None,
    keepdim: bool = False,
    out: tuple[Tensor, Tensor] | None = None,
) -> Any:
    """Return the minimum and the maximum along a dimension, or of all elements."""
    if dim is None and not input.array.size:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the "
            "operation has no identity."
        )
    low, high = out if out is not None else (None, None)
    return return_types.aminmax(
        _extreme("amin", _amin, input, dim, keepdim, low),
        _extreme("amax", _amax, input, dim, keepdim, high),
    )


def _selected(name: str, input: Tensor, dim: Any, keepdim: bool, out: Any) -> Any:
    """Return the extreme of all elements, or the extremes along a dimension and their indices."""
    made, places = (_amax, _argmax) if name == "max" else (_amin, _argmin)
    if dim is None:
        return _extreme(name, made, input, None, False, out)
    expect(name, input, "fiub")
    dim = wrap_dim(operator.index(dim), input.array.ndim)
    refuse_empty(name, input, (dim,), IndexError)
    return found(getattr(return_types, name), input, places(input, dim), dim, keepdim, out)


def _place(name: str, made: Any, input: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    expect(name, input, "fiu")
    ndim = input.array.ndim
    if dim is None:
        refuse_empty(name, input, None, IndexError)
        place: Tensor = made(input.reshape(-1), 0)
        return place.reshape((1,) * ndim if keepdim else ())
    dim = wrap_dim(dim, ndim)
    refuse_empty(name, input, (dim,), IndexError)
    place = made(input, dim)
    return place if keepdim else place.squeeze(dim)


def _define(name: str, extreme: Primitive, find: Primitive, which: str) -> None:
    """Register ``max``, ``amax`` and ``argmax``, or the functions of the minimum."""

    def extremes(
        input: Tensor, dim: Dims = (), keepdim: bool = False, *, out: Tensor | None = None
    ) -> Tensor:
        return _extreme(f"a{name}", extreme, input, dim, keepdim, out)

    def place(
        input: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None
    ) -> Tensor:
        return _place(f"arg{name}", find, input, axis if dim is None else dim, keepdim)

    def function(
        input: Tensor,
        dim: Any = None,
        keepdim: bool = False,
        *,
        other: Any = None,
        axis: Any = None,
        out: Any = None,
    ) -> Any:
        if isinstance(dim, Tensor):
            other, dim = dim, None
        if other is not None:
            return getattr(input, f"{name}imum")(other)
        return _selected(name, input, axis if dim is None else dim, keepdim, out)

    what = f"""Return the {which} element of all, along a dimension, or element-wise of two tensors.

    ``{name}(input)`` returns one element, ``{name}(input, dim, keepdim)`` the elements and their
    indices, and ``{name}(input, other)`` is ``{name}imum(input, other)``.
    """
    shared = f"Return the {which} elements along dimensions; equal ones share the gradient."
    op()(named(extremes, f"a{name}", shared))
    op()(named(place, f"arg{name}", f"Return the index of the first {which} element."))
    op()(named(function, name, what))


_define("max", _amax, _argmax, "largest")
_define("min", _amin, _argmin, "smallest")
