"""Dtypes: element types, type promotion, default dtype, finfo and iinfo.

A ``dtype`` gives PyTorch's name to a NumPy dtype. Type promotion follows PyTorch, which differs
from NumPy: ``int64 + float32`` is ``float32``, and a Python scalar contributes only its kind.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from torchstone.microtorch.tensor import Tensor

# Dtype kinds, in order of promotion priority.
BOOL, INTEGER, FLOAT, COMPLEX = range(4)
_KIND_OF_CODE = {"b": BOOL, "i": INTEGER, "u": INTEGER, "f": FLOAT, "c": COMPLEX}


class dtype:
    """Element type of a tensor.

    Attributes:
        name: Name in PyTorch.
        numpy: The underlying NumPy dtype.
        kind: BOOL, INTEGER, FLOAT or COMPLEX.
        title: Name in most of PyTorch's error messages, such as ``Float``.
        c_name: C++ name, used in the other messages.
    """

    __slots__ = ("c_name", "kind", "name", "numpy", "title")

    def __init__(self, name: str, numpy: Any, title: str, c_name: str) -> None:
        self.name, self.title, self.c_name = name, title, c_name
        self.numpy: np.dtype[Any] = np.dtype(numpy)
        self.kind = _KIND_OF_CODE[self.numpy.kind]

    @property
    def itemsize(self) -> int:
        """Return the size of one element in bytes."""
        return self.numpy.itemsize

    @property
    def is_floating_point(self) -> bool:
        """Return whether the type is floating-point."""
        return self.kind == FLOAT

    @property
    def is_complex(self) -> bool:
        """Return whether the type is complex."""
        return self.kind == COMPLEX

    @property
    def is_signed(self) -> bool:
        """Return whether the type represents negative numbers."""
        return self.numpy.kind not in "ub"

    def to_real(self) -> dtype:
        """Return the dtype of the real part."""
        return _REAL_OF.get(self, self)

    def to_complex(self) -> dtype:
        """Return the complex dtype whose real part has this dtype."""
        return _COMPLEX_OF.get(self, self)

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return "bool_" if self.kind == BOOL else self.name


bool_ = dtype("bool", np.bool_, "Bool", "bool")
uint8 = dtype("uint8", np.uint8, "Byte", "unsigned char")
uint16 = dtype("uint16", np.uint16, "UInt16", "unsigned short")
uint32 = dtype("uint32", np.uint32, "UInt32", "unsigned int")
uint64 = dtype("uint64", np.uint64, "UInt64", "unsigned long")
int8 = dtype("int8", np.int8, "Char", "signed char")
int16 = dtype("int16", np.int16, "Short", "short int")
int32 = dtype("int32", np.int32, "Int", "int")
int64 = dtype("int64", np.int64, "Long", "long int")
float16 = dtype("float16", np.float16, "Half", "c10::Half")
float32 = dtype("float32", np.float32, "Float", "float")
float64 = dtype("float64", np.float64, "Double", "double")
complex64 = dtype("complex64", np.complex64, "ComplexFloat", "c10::complex<float>")
complex128 = dtype("complex128", np.complex128, "ComplexDouble", "c10::complex<double>")

_BY_NUMPY: dict[Any, dtype] = {
    each.numpy: each for each in list(globals().values()) if isinstance(each, dtype)
}


class Absent(dtype):
    """Dtype without a NumPy counterpart: it can be named and compared, but not used."""

    __slots__ = ()
    itemsize, is_signed = 2, True

    def __init__(self, name: str, title: str, c_name: str) -> None:
        super().__init__(name, np.float32, title, c_name)
        # The dtype was needed only to derive ``kind``.
        del self.numpy

    def __getattr__(self, name: str) -> Any:
        """Raise an error: NumPy has no such dtype."""
        if name == "numpy":
            raise TypeError(f"{self}: NumPy has no such type; use torch.float32 or torch.float16")
        raise AttributeError(f"'torch.dtype' object has no attribute {name!r}")


bfloat16 = Absent("bfloat16", "BFloat16", "c10::BFloat16")
_COMPLEX_OF = {float16: complex64, float32: complex64, float64: complex128}
_REAL_OF = {complex64: float32, complex128: float64}
_PYTHON: dict[type, int] = {bool: BOOL, int: INTEGER, float: FLOAT, complex: COMPLEX}
_OF_PYTHON = {bool: bool_, int: int64, float: float64, complex: complex128}
_default = float32


def of_numpy(numpy: Any) -> dtype:
    """Return the dtype of a NumPy dtype."""
    try:
        return _BY_NUMPY[numpy]
    except KeyError:
        raise TypeError(
            f"can't convert np.ndarray of type {numpy}. The only supported types are: "
            f"{', '.join(each.name for each in _BY_NUMPY.values())}."
        ) from None


def given(value: Any, function: str) -> dtype:
    """Convert an argument named ``dtype``; Python's types mean their default dtypes."""
    if isinstance(value, dtype):
        return value
    if isinstance(value, type) and value in _OF_PYTHON:
        return _OF_PYTHON[value]
    raise TypeError(
        f"{function}(): argument 'dtype' must be torch.dtype, not {type(value).__name__}"
    )


def get_default_dtype() -> dtype:
    """Return the default dtype of floating-point tensors."""
    return _default


def set_default_dtype(d: dtype) -> None:
    """Set the default dtype of floating-point tensors."""
    global _default
    if not (isinstance(d, dtype) and d.is_floating_point):
        raise TypeError("only floating-point types are supported as the default type")
    _default = d


def of_scalar(value: Any) -> dtype:
    """Return the dtype of a tensor created from one Python scalar."""
    kind = kind_of_scalar(value)
    return (bool_, int64, _default, _default.to_complex())[kind]


def kind_of_scalar(value: Any) -> int:
    """Return the kind of a Python scalar; NumPy scalars count as Python scalars."""
    kind = _PYTHON.get(type(value))
    if kind is None:
        if isinstance(value, np.generic):
            return _BY_NUMPY[value.dtype].kind
        for python, its_kind in _PYTHON.items():
            if isinstance(value, python):
                return its_kind
        raise TypeError(f"expected a number or a tensor, but got {type(value).__name__}")
    return kind


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """Return the smallest dtype that both can be converted to, by PyTorch's rules.

    The higher kind wins; size matters only within a kind. Unsigned types are promoted with others
    as in the array API standard, where PyTorch rejects most combinations.

    Raises:
        RuntimeError: ``uint64`` meets a signed type: no integer type represents both.

    >>> promote_types(int64, float16)
    torch.float16
    """
    if type1 is type2:
        return type1
    if type1.kind == type2.kind or FLOAT == min(type1.kind, type2.kind):
        both = _BY_NUMPY[np.promote_types(type1.numpy, type2.numpy)]
        if both.kind > max(type1.kind, type2.kind):
            raise RuntimeError(
                "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
                f"{type1.title} and {type2.title}"
            )
        return both
    return type1 if type1.kind > type2.kind else type2


def result_type(*operands: Any) -> dtype:
    """Return the dtype of an operation's result.

    Operands have three priorities: tensors with dimensions, 0-d tensors, Python scalars. Operands
    of lower priority change the result only if their kind is higher.
    """
    ranks: list[dtype | None] = [None, None, None]
    for operand in operands:
        array = getattr(operand, "array", None)
        if array is None:
            rank, found = 2, of_scalar(operand)
        else:
            rank, found = (0 if array.ndim else 1), _BY_NUMPY[array.dtype]
        before = ranks[rank]
        ranks[rank] = found if before is None else promote_types(before, found)
    result = _combine(ranks[0], _combine(ranks[1], ranks[2]))
    assert result is not None, "an operation has operands"
    return result


def _combine(first: dtype | None, later: dtype | None) -> dtype | None:
    """Return the result dtype of operands of higher and of lower priority."""
    if first is None or later is None:
        return first or later
    if first.kind == FLOAT and later.kind == COMPLEX:
        return first.to_complex()
    is_open = first.kind == BOOL or (first.kind == INTEGER and later.kind > INTEGER)
    return promote_types(first, later) if is_open else first


def can_cast(from_: dtype, to: dtype) -> bool:
    """Return whether PyTorch casts a result of one dtype to a tensor of another dtype."""
    return from_.kind <= to.kind


def coerce(operands: Iterable[Tensor | Any], to: dtype) -> list[np.ndarray[Any, Any]]:
    """Return the operands as arrays of one dtype."""
    return [
        np.asarray(getattr(each, "array", each)).astype(to.numpy, copy=False) for each in operands
    ]


def refuse_loss(value: Any, to: dtype, name: str | None = None) -> None:
    """Raise an error for a number that the dtype cannot represent."""
    if to.kind not in (INTEGER, FLOAT):
        return
    is_whole = to.kind == INTEGER
    if isinstance(value, complex):
        fits = not value.imag
    else:
        limit = np.iinfo(to.numpy).max if is_whole else np.finfo(to.numpy).max.item()
        # As in PyTorch, unsigned types accept negative numbers, which wrap around.
        least = -limit - 1 if is_whole and to.is_signed else -limit
        fits = least <= value <= limit or (not is_whole and not np.isfinite(value))
    if not fits:
        name = name or (f"{to.name}_t" if is_whole else to.c_name)
        raise RuntimeError(f"value cannot be converted to type {name} without overflow")


def held(value: Any, to: dtype) -> Any:
    """Round a number to a floating-point dtype; return any other value unchanged.

    PyTorch converts most scalar arguments to the dtype of the tensor.

    Raises:
        RuntimeError: The dtype cannot represent the number.
    """
    if to.kind != FLOAT or not isinstance(value, int | float):
        return value
    refuse_loss(value, to)
    return float(to.numpy.type(value)) if to is float16 else value


class finfo:
    """Numerical limits of a floating-point dtype."""

    def __init__(self, type: dtype | None = None) -> None:
        real = (type or _default).to_real()
        if real.kind != FLOAT:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
                "'torch.finfo'"
            )
        self.dtype, info = real.name, np.finfo(real.numpy)
        self.bits, self.resolution = info.bits, 10.0**-info.precision
        self.eps, self.tiny = info.eps.item(), info.tiny.item()
        self.smallest_normal = self.tiny
        self.min, self.max = info.min.item(), info.max.item()

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        values = ", ".join(f"{name}={getattr(self, name):g}" for name in names)
        return f"finfo({values}, dtype={self.dtype})"


class iinfo:
    """Numerical limits of an integer dtype."""

    def __init__(self, type: dtype) -> None:
        if type.kind != INTEGER:
            raise TypeError(
                "torch.iinfo() requires an integer input type. Use torch.finfo to handle "
                "'torch.iinfo'"
            )
        self.dtype, info = type.name, np.iinfo(type.numpy)
        self.bits, self.min, self.max = info.bits, info.min, info.max

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
