"""Box-Muller transform from uniform to normal random numbers, bit-identical to PyTorch.

In single precision PyTorch evaluates log, sin and cos by short polynomials with fused multiply-add
(``fma``), which rounds once. NumPy's functions are as accurate but differ in the last bit.

Source:
    Box and Muller, A note on the generation of random normal deviates (1958).
    Moshier, Cephes mathematical library (1989): ``logf``, ``sinf``, ``cosf``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from torchstone.microtorch.tensor import Array

# Numbers per block; the first half of a block is paired with the second half.
BLOCK = 16
_single = np.float32
_LOG = np.array(
    [
        7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
        -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
    ],
    _single,
)  # fmt: skip
# log(2) and pi / 4, split into parts whose products are exact.
_LOG_2 = np.array([-2.12194440e-4, 0.693359375], _single)
_QUARTER = np.array([-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8], _single)
_COS = np.array([2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2], _single)
_SIN = np.array([-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1], _single)


def box_muller(uniform: Array) -> Array:
    """Transform uniform into standard normal numbers.

    Shapes:
        uniform: (n,) with ``n`` a multiple of 16 -> (n,)
    """
    blocks = uniform.reshape(-1, 2, BLOCK // 2)
    angle = uniform.dtype.type(2 * np.pi) * blocks[:, 1]
    if uniform.dtype == _single:
        radius = np.sqrt(_single(-2) * _log(_single(1) - blocks[:, 0]))
        sin, cos = _sin_and_cos(angle)
    else:
        radius = np.sqrt(-2 * np.log(1 - blocks[:, 0]))
        sin, cos = np.sin(angle), np.cos(angle)
    return np.stack([radius * cos, radius * sin], axis=1).reshape(-1)


def _fma(a: Array, b: Any, c: Any) -> Array:
    """Return ``a * b + c`` with one rounding."""
    return (np.multiply(a, b, dtype=np.float64) + c).astype(_single)


def _polynomial(coefficients: Array, x: Array) -> Array:
    result = np.full_like(x, coefficients[0])
    for each in coefficients[1:]:
        result = _fma(result, x, each)
    return result


def _log(x: Array) -> Array:
    mantissa, exponent = np.frexp(x)
    is_small = mantissa < _single(np.sqrt(0.5))
    exponent = exponent.astype(_single) - is_small
    x = mantissa - _single(1) + np.where(is_small, mantissa, _single(0))
    square = x * x
    tail = _fma(_polynomial(_LOG, x) * x, square, exponent * _LOG_2[0])
    return _fma(exponent, _LOG_2[1], x + _fma(square, _single(-0.5), tail))


def _sin_and_cos(angle: Array) -> tuple[Array, Array]:
    octant = ((angle * _single(4 / np.pi)).astype(np.int32) + 1) & ~1
    x = angle
    for part in _QUARTER:
        x = _fma(octant.astype(_single), part, x)
    square = x * x
    cos = _polynomial(_COS, square) * square
    cos = _fma(cos, square, -(square * _single(0.5))) + _single(1)
    sin = _fma(_polynomial(_SIN, square) * square, x, x)
    swapped = octant & 2 != 0
    first, second = np.where(swapped, cos, sin), np.where(swapped, sin, cos)
    return (
        np.where(octant & 4, -first, first),
        np.where((octant - 2) & 4, second, -second),
    )
