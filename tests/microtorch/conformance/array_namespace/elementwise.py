"""Functions of each element by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torchstone.microtorch as micro
from tests.microtorch.conformance.array_namespace.creation import asarray
from tests.microtorch.conformance.array_namespace.dtypes import isdtype, result_type
from torchstone.microtorch import Tensor

# The standard's name, and PyTorch's. One operand, and two.
_UNARY = {
    **{name: name for name in """
        abs acos acosh asin asinh atan atanh ceil conj cos cosh exp expm1 floor imag isfinite isinf
        isnan log log1p log2 log10 logical_not positive real reciprocal signbit sin sinh
        square sqrt tan tanh trunc
        """.split()},
    "bitwise_invert": "bitwise_not",
    "negative": "neg",
}  # fmt: skip
_BINARY = {
    **{name: name for name in """
        atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign
        floor_divide hypot logaddexp logical_and logical_or logical_xor maximum minimum multiply
        nextafter pow remainder subtract add divide greater greater_equal less less_equal not_equal
        """.split()},
    "equal": "eq",
}  # fmt: skip
__all__ = [*_UNARY, *_BINARY, "clip", "round", "sign"]


def _unary(name: str) -> Callable[[Tensor], Tensor]:
    def function(x: Tensor, /) -> Tensor:
        return getattr(micro, name)(x)

    return function


def together(x1: Any, x2: Any) -> tuple[Tensor, Tensor]:
    """Return both, of which one may be a Python number, the type in which they meet."""
    dtype = result_type(x1, x2)
    return asarray(x1, dtype=dtype), asarray(x2, dtype=dtype)


def _binary(name: str) -> Callable[[Any, Any], Tensor]:
    def function(x1: Any, x2: Any, /) -> Tensor:
        return getattr(micro, name)(*together(x1, x2))

    return function


globals().update({ours: _unary(theirs) for ours, theirs in _UNARY.items()})
globals().update({ours: _binary(theirs) for ours, theirs in _BINARY.items()})


def round(x: Tensor, /) -> Tensor:
    # PyTorch rounds real numbers alone.
    is_complex = isdtype(x.dtype, "complex floating")
    return micro.complex(micro.round(x.real), micro.round(x.imag)) if is_complex else micro.round(x)


def sign(x: Tensor, /) -> Tensor:
    # PyTorch's own sign is not for complex numbers, and gives 0 for NaN.
    return micro.where(micro.isnan(x), x, micro.sgn(x))


def clip(x: Tensor, /, min: Any = None, max: Any = None) -> Tensor:
    limits = [None if each is None else asarray(each, dtype=x.dtype) for each in (min, max)]
    return x.clone() if limits == [None, None] else micro.clamp(x, *limits)
