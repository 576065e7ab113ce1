"""The array API standard's names, 2024.12, for MicroTorch: a thin layer over PyTorch's names.

Where the two differ in a name, an argument (``axis`` is ``dim``) or a default, it is settled here.
What a function computes is never changed here, save that arrays of no dimensions count for the
type of a result like all others, which in PyTorch they do not.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torchstone.microtorch as micro
from torchstone.microtorch import Tensor

__array_api_version__ = "2024.12"
pi, e, inf, nan, newaxis = math.pi, math.e, math.inf, math.nan, None
DTYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"
)
globals().update({name: getattr(micro, name) for name in DTYPES.split()})
KINDS = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]

# One operand, and two.
_UNARY = {
    **{name: name for name in """
        abs acos acosh asin asinh atan atanh ceil conj cos cosh exp expm1 floor imag isfinite isinf
        isnan log log1p log2 log10 logical_not positive real reciprocal signbit sin sinh
        square sqrt tan tanh trunc
        """.split()},
    "bitwise_invert": "bitwise_not",
    "negative": "neg",
    # PyTorch's own sign is not for complex numbers.
    "sign": "sgn",
}  # fmt: skip
_BINARY = {
    **{name: name for name in """
        atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign
        floor_divide hypot logaddexp logical_and logical_or logical_xor maximum minimum multiply
        nextafter pow remainder subtract add divide greater greater_equal less less_equal not_equal
        """.split()},
    "equal": "eq",
}  # fmt: skip


def _unary(name: str) -> Callable[[Tensor], Tensor]:
    return lambda x: getattr(micro, name)(x)


def _together(x1: Any, x2: Any) -> tuple[Tensor, Tensor]:
    """Give both the type in which they meet."""
    dtype = result_type(x1, x2)
    return asarray(x1, dtype=dtype), asarray(x2, dtype=dtype)


def _binary(name: str) -> Callable[[Any, Any], Tensor]:
    return lambda x1, x2: getattr(micro, name)(*_together(x1, x2))


globals().update({ours: _unary(theirs) for ours, theirs in _UNARY.items()})
globals().update({ours: _binary(theirs) for ours, theirs in _BINARY.items()})


def round(x: Tensor, /) -> Tensor:
    # PyTorch rounds real numbers alone.
    is_complex = isdtype(x.dtype, "complex floating")
    return micro.complex(micro.round(x.real), micro.round(x.imag)) if is_complex else micro.round(x)


def clip(x: Tensor, /, min: Any = None, max: Any = None) -> Tensor:
    limits = [None if each is None else asarray(each, dtype=x.dtype) for each in (min, max)]
    return x.clone() if limits == [None, None] else micro.clamp(x, *limits)


# Types.


def result_type(*operands: Any) -> Any:
    arrays = [each.dtype if isinstance(each, Tensor) else each for each in operands]
    return micro.result_type(
        *[micro.empty(1, dtype=each) if isinstance(each, micro.dtype) else each for each in arrays]
    )


def isdtype(dtype: Any, kind: Any) -> bool:
    if isinstance(kind, tuple):
        return builtins.any(isdtype(dtype, each) for each in kind)
    return dtype.name in KINDS[kind] if isinstance(kind, str) else dtype is kind


def can_cast(from_: Any, to: Any, /) -> bool:
    dtype = from_.dtype if isinstance(from_, Tensor) else from_
    return micro.promote_types(dtype, to) is to


def astype(x: Tensor, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Tensor:
    return x.to(dtype, copy=copy)


finfo, iinfo = micro.finfo, micro.iinfo


# Creation.


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Tensor:
    found = micro.asarray(obj, dtype=dtype, copy=copy)
    return found if dtype is None or found.dtype is dtype else found.to(dtype)


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    return micro.tril(x, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    return micro.triu(x, k)


from_dlpack = micro.from_dlpack
ones, zeros, empty = micro.ones, micro.zeros, micro.empty
ones_like, zeros_like, empty_like = micro.ones_like, micro.zeros_like, micro.empty_like
full_like = micro.full_like


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    return micro.full((shape,) if isinstance(shape, int) else shape, fill_value, dtype=dtype)


def arange(
    start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None
) -> Tensor:
    start, stop = (0, start) if stop is None else (start, stop)
    if (stop - start) * step <= 0:
        # The standard gives nothing where PyTorch refuses.
        stop = start
    return micro.arange(start, stop, step, dtype=dtype)


def eye(n: int, m: Any = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> Tensor:
    made = micro.zeros(n, n if m is None else m, dtype=dtype)
    if -n < k < made.shape[1]:
        made.diagonal(k).fill_(1)
    return made


def linspace(
    start: Any, stop: Any, /, num: int, *, dtype: Any = None, device: Any = None,
    endpoint: bool = True,
) -> Tensor:  # fmt: skip
    made = micro.linspace(start, stop, num if endpoint else num + 1, dtype=dtype)
    return made if endpoint else made[:num]


# Shapes.

broadcast_to, moveaxis, permute_dims = micro.broadcast_to, micro.moveaxis, micro.permute
broadcast_arrays, tile = micro.broadcast_tensors, micro.tile


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> list[Tensor]:
    return list(micro.meshgrid(*arrays, indexing=indexing))


def _renamed(function: Any, axis: str = "dim", **defaults: Any) -> Callable[..., Any]:
    """Give a function of PyTorch the standard's names of arguments."""
    names = {"axis": axis, "axes": "dim", "keepdims": "keepdim"}
    return lambda *args, **kwargs: function(
        *args, **{names.get(key, key): each for key, each in (defaults | kwargs).items()}
    )


expand_dims, unstack = _renamed(micro.unsqueeze), _renamed(micro.unbind)
roll = _renamed(micro.roll, axis="dims")
take_along_axis = _renamed(micro.take_along_dim)


def where(condition: Tensor, x1: Any, x2: Any, /) -> Tensor:
    return micro.where(condition, *_together(x1, x2))


def _same_type(arrays: Any) -> list[Tensor]:
    dtype = result_type(*arrays)
    return [each.to(dtype) for each in arrays]


def concat(arrays: Any, /, *, axis: int | None = 0) -> Tensor:
    arrays = [each.reshape(-1) for each in arrays] if axis is None else arrays
    return micro.cat(_same_type(arrays), 0 if axis is None else axis)


def stack(arrays: Any, /, *, axis: int = 0) -> Tensor:
    return micro.stack(_same_type(arrays), axis)


def reshape(x: Tensor, /, shape: Any, *, copy: Any = None) -> Tensor:
    return (x.clone() if copy else x).reshape(shape)


def flip(x: Tensor, /, *, axis: Any = None) -> Tensor:
    dims = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    return micro.flip(x, tuple(dims))


def squeeze(x: Tensor, /, axis: Any) -> Tensor:
    axes = (axis,) if isinstance(axis, int) else axis
    if builtins.any(x.shape[each] != 1 for each in axes):
        raise ValueError("squeeze: only sizes of 1 can be taken away")
    return micro.squeeze(x, tuple(axes))


def repeat(x: Tensor, repeats: Any, /, *, axis: int | None = None) -> Tensor:
    return micro.repeat_interleave(x, repeats, axis)


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    axis = 0 if axis is None else axis
    return micro.index_select(x, axis, indices % x.shape[axis] if x.shape[axis] else indices)


# Reductions, sorting, searching, sets.

argmax, argmin = _renamed(micro.argmax), _renamed(micro.argmin)
unique_values = micro.unique


def _reduction(name: str) -> Callable[..., Tensor]:
    def reduce(x: Tensor, /, *, axis: Any = None, keepdims: bool = False, **more: Any) -> Tensor:
        dims = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else axis
        if not dims:
            # PyTorch reduces all dimensions where none is named; of no dimensions there are none.
            x, dims, keepdims = x.unsqueeze(0), (0,), False
        return getattr(micro, name)(x, dim=dims, keepdim=keepdims, **more)

    return reduce


def _total(x: Tensor, dtype: Any) -> Any:
    """Give the type of a sum: unsigned numbers stay so, where PyTorch makes them int64."""
    return micro.uint64 if dtype is None and isdtype(x.dtype, "unsigned integer") else dtype


mean, max, min = _reduction("mean"), _reduction("amax"), _reduction("amin")


def sum(x: Tensor, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    return _reduction("sum")(x, axis=axis, keepdims=keepdims, dtype=_total(x, dtype))


def prod(x: Tensor, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    dims = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    wanted, dtype = [each % x.ndim for each in dims], _total(x, dtype)
    x = x if wanted else x.unsqueeze(0).prod(0, dtype=dtype)
    for dim in sorted(wanted, reverse=True):
        x = micro.prod(x, dim, keepdims, dtype=dtype)
    return x


def std(
    x: Tensor, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    return _reduction("std")(x, axis=axis, keepdims=keepdims, correction=correction)


def var(
    x: Tensor, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    return _reduction("var")(x, axis=axis, keepdims=keepdims, correction=correction)


def all(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    return _reduction("all")(x.to(micro.bool), axis=axis, keepdims=keepdims)


def any(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    return _reduction("any")(x.to(micro.bool), axis=axis, keepdims=keepdims)


def count_nonzero(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    return sum(x != 0, axis=axis, keepdims=keepdims, dtype=micro.int64)


def _cumulative(name: str, start: int) -> Callable[..., Tensor]:
    def cumulate(
        x: Tensor, /, *, axis: Any = None, dtype: Any = None, include_initial: bool = False
    ) -> Tensor:
        axis = 0 if axis is None else axis
        found = getattr(micro, name)(x, axis, dtype=_total(x, dtype))
        shape = list(x.shape)
        shape[axis] = 1
        first = micro.full(shape, start, dtype=found.dtype)
        return micro.cat([first, found], axis) if include_initial else found

    return cumulate


cumulative_sum, cumulative_prod = _cumulative("cumsum", 0), _cumulative("cumprod", 1)


def diff(
    x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None
) -> Tensor:
    return micro.diff(x, n, axis, prepend, append)


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    return micro.sort(x, dim=axis, descending=descending, stable=stable)[0]


def argsort(
    x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> Tensor:
    return micro.argsort(x, dim=axis, descending=descending, stable=stable)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    return micro.nonzero(x, as_tuple=True)


def searchsorted(x1: Tensor, x2: Tensor, /, *, side: str = "left", sorter: Any = None) -> Tensor:
    return micro.searchsorted(x1, x2, side=side, sorter=sorter)


def unique_counts(x: Tensor, /) -> tuple[Tensor, ...]:
    return micro.unique(x, return_counts=True)


def unique_inverse(x: Tensor, /) -> tuple[Tensor, ...]:
    return micro.unique(x, return_inverse=True)


# Linear algebra.


def matrix_transpose(x: Tensor, /) -> Tensor:
    return x.mT


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    return micro.matmul(*_together(x1, x2))


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: Any = 2) -> Tensor:
    return micro.tensordot(*_together(x1, x2), dims=axes)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    x1, x2 = micro.broadcast_tensors(*_together(x1, x2))
    if isdtype(x1.dtype, "integral"):
        # PyTorch's is for floating-point numbers alone.
        return (x1 * x2).sum(axis, dtype=x1.dtype)
    return micro.linalg.vecdot(x1, x2, dim=axis)


_LINALG = (
    "cholesky det eigh eigvalsh inv matrix_power matrix_rank pinv qr slogdet solve svd svdvals"
)
linalg = SimpleNamespace(
    **{name: getattr(micro.linalg, name) for name in _LINALG.split()},
    cross=lambda x1, x2, /, *, axis=-1: micro.linalg.cross(*_together(x1, x2), dim=axis),
    diagonal=lambda x, /, *, offset=0: micro.diagonal(x, offset, -2, -1),
    matmul=matmul,
    matrix_norm=_renamed(micro.linalg.matrix_norm),
    matrix_transpose=matrix_transpose,
    outer=lambda x1, x2, /: micro.outer(*_together(x1, x2)),
    tensordot=tensordot,
    trace=lambda x, /, *, offset=0, dtype=None: sum(
        micro.diagonal(x, offset, -2, -1), axis=-1, dtype=dtype
    ),
    vecdot=vecdot,
    vector_norm=_renamed(micro.linalg.vector_norm),
)
_FFT = "fft ifft rfft irfft hfft ihfft fftn ifftn rfftn irfftn fftshift ifftshift fftfreq rfftfreq"
fft = SimpleNamespace(**{name: _renamed(getattr(micro.fft, name)) for name in _FFT.split()})
