"""Types of elements: their kinds, and in which type several meet."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from functools import reduce
from typing import Any

import torchstone.microtorch as micro
from torchstone.microtorch import Tensor

NAMES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"
).split()
globals().update({name: getattr(micro, name) for name in NAMES})
KINDS = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]
__all__ = [
    *NAMES, "KINDS", "astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type",
]  # fmt: skip

# From low to high: a Python number of a higher kind than an array's raises the array's type.
_RANKS = {builtins.bool: 0, int: 1, float: 2, complex: 3}


def dtype_of(operand: Any) -> Any:
    """Return the type of an array, or a type itself."""
    return operand.dtype if isinstance(operand, Tensor) else operand


def _rank(dtype: Any) -> int:
    floating = 3 if dtype.is_complex else 2
    return floating if dtype.is_complex or dtype.is_floating_point else int(dtype is not micro.bool)


def result_type(*arrays_and_dtypes: Any) -> Any:
    scalars = [each for each in arrays_and_dtypes if type(each) in _RANKS]
    dtypes = [dtype_of(each) for each in arrays_and_dtypes if type(each) not in _RANKS]
    found = reduce(micro.promote_types, dtypes)
    for each in scalars:
        if _RANKS[type(each)] > _rank(found):
            found = micro.promote_types(found, micro.asarray(each).dtype)
    return found


def isdtype(dtype: Any, kind: Any) -> bool:
    if isinstance(kind, tuple):
        return builtins.any(isdtype(dtype, each) for each in kind)
    return dtype.name in KINDS[kind] if isinstance(kind, str) else dtype is kind


def can_cast(from_: Any, to: Any, /) -> bool:
    try:
        return micro.promote_types(dtype_of(from_), to) is to
    except RuntimeError:
        # Signed and unsigned numbers of 64 bits meet in no type.
        return False


def astype(x: Tensor, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Tensor:
    return x.to(device or x.device, dtype, copy=copy)


@dataclass(frozen=True, slots=True, kw_only=True)
class FloatInfo:
    """What there is to know of a floating-point type; PyTorch gives the type's name alone."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class IntInfo:
    """What there is to know of an integer type."""

    bits: int
    max: int
    min: int
    dtype: Any


def finfo(type: Any, /) -> FloatInfo:
    found = micro.finfo(dtype_of(type))
    return FloatInfo(
        bits=found.bits,
        eps=found.eps,
        max=found.max,
        min=found.min,
        smallest_normal=found.smallest_normal,
        dtype=getattr(micro, found.dtype),
    )


def iinfo(type: Any, /) -> IntInfo:
    found = micro.iinfo(dtype_of(type))
    dtype = getattr(micro, found.dtype)
    return IntInfo(bits=found.bits, max=found.max, min=found.min, dtype=dtype)
