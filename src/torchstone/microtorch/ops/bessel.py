"""Bessel functions J, Y, I, K, the spherical j0 and the Airy function Ai, on arrays.

For |x| < 25 a downward recurrence, which is stable, gives all orders at once. A known sum fixes
their scale, and Neumann series give the functions of the second kind. For larger arguments Hankel's
asymptotic series are accurate to the last bits.

Source:
    NIST Digital Library of Mathematical Functions, 10.8, 10.17, 10.23, 10.31, 10.35, 10.40 (Bessel)
    and 9.4, 9.6, 9.7 (Airy); 10.74(iv) for the recurrence, which is Miller's.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from torchstone.microtorch.ops.erf import in_double
from torchstone.microtorch.tensor import Array

Function = Callable[[Array], Array]

_LARGE = 25.0
_ORDERS = 90
_GAMMA = float(np.euler_gamma)


def _recurrence(x: Array, sign: int) -> tuple[Array, Array, Array, Array]:
    """Return the functions for |x| <= 25: J if ``sign`` is -1, exp(-x) I if it is 1.

    With ``F_k(x) = (x / 2)**k / k! * p_k`` the recurrence of ``p_k`` neither overflows nor divides
    by zero: ``p_{k-1} = p_k + sign (x / 2)**2 / (k (k + 1)) p_{k+1}``.

    Returns:
        F_0, F_1, and the sums of Neumann's series for the functions of the second kind.
    """
    half = np.minimum(np.abs(x), _LARGE) / 2
    square = half * half
    above, here = np.ones_like(half), np.ones_like(half)
    total, even, odd = np.zeros_like(half), np.zeros_like(half), np.zeros_like(half)
    for k in range(_ORDERS, 0, -1):
        value = here * half**k / math.factorial(k)
        pair = k // 2
        alternating = float(sign**pair)
        if k % 2 == 0:
            even = even + alternating * value / pair
        elif pair:
            odd = odd + alternating * value * (k / (pair * (pair + 1)))
        if sign > 0 or k % 2 == 0:
            total = total + 2 * value
        above, here = here, here + sign * square / (k * (k + 1)) * above
    # 1 = J_0 + 2 J_2 + 2 J_4 + ..., and exp(x) = I_0 + 2 I_1 + 2 I_2 + ...
    scale = 1 / (total + here)
    return here * scale, half * above * scale, even * scale, odd * scale


def _hankel(order: float, x: Array, sign: int) -> tuple[Array, Array]:
    """Sum the even and the odd terms of Hankel's series, alternating if ``sign`` is -1."""
    even, odd = np.ones_like(x), np.zeros_like(x)
    term = np.ones_like(x)
    for k in range(1, 26):
        term = term * ((4 * order * order - (2 * k - 1) ** 2) / (8 * k)) / x
        factor = float(sign ** (k // 2))
        even, odd = (even, odd + factor * term) if k % 2 else (even + factor * term, odd)
    return even, odd


def _oscillating(order: int, x: Array) -> tuple[Array, Array]:
    """Return J and Y for large ``x``."""
    p, q = _hankel(order, x, -1)
    # sin and cos of x - (order / 2 + 1 / 4) pi, by the addition theorem; computing the angle first
    # would lose digits.
    plus, minus = np.sin(x) + np.cos(x), np.sin(x) - np.cos(x)
    cosine, sine = (plus, minus) if order == 0 else (minus, -plus)
    scale = 1 / np.sqrt(np.pi * x)
    return scale * (p * cosine - q * sine), scale * (p * sine + q * cosine)


def _first(order: int, x: Array) -> Array:
    size = np.abs(x)
    near = _recurrence(x, -1)[order]
    far = _oscillating(order, np.maximum(size, _LARGE))[0]
    value = np.where(size < _LARGE, near, far)
    return np.where(np.isnan(x), np.nan, np.where((x < 0) & (order == 1), -value, value))


def _second(order: int, x: Array) -> Array:
    j0, j1, even, odd = _recurrence(x, -1)
    log = np.log(np.minimum(np.abs(x), _LARGE) / 2) + _GAMMA
    if order == 0:
        near = 2 / np.pi * (log * j0 - 2 * even)
    else:
        near = 2 / np.pi * ((log - 1) * j1 - odd - j0 / x)
    far = _oscillating(order, np.maximum(x, _LARGE))[1]
    value = np.where(x < _LARGE, near, far)
    return np.where(x > 0, value, np.where(x == 0, -np.inf, np.nan))


def _modified_scaled(order: int, x: Array) -> Array:
    """Return ``exp(-|x|) I(x)``."""
    size = np.abs(x)
    near = _recurrence(x, 1)[order]
    far = np.maximum(size, _LARGE)
    even, odd = _hankel(order, far, 1)
    value = np.where(size < _LARGE, near, (even - odd) / np.sqrt(2 * np.pi * far))
    return np.where(np.isnan(x), np.nan, np.where((x < 0) & (order == 1), -value, value))


def _k_scaled(order: float, x: Array) -> Array:
    """Return ``exp(x) K(x)`` for x >= 1.

    The integral of ``exp(x (1 - cosh t)) cosh(order t)`` over positive ``t`` (DLMF 10.32.9), by the
    trapezoidal rule, which reaches double precision for this smooth integrand.
    """
    step = 0.2 / np.sqrt(np.maximum(x / 2, 1.0))
    total = np.full_like(x, 0.5)
    for n in range(1, 60):
        t = n * step
        total = total + np.exp(-2 * x * np.sinh(t / 2) ** 2) * np.cosh(order * t)
    return total * step


def _modified_second(order: int, x: Array, *, scaled: bool) -> Array:
    small = np.clip(x, 0.0, 2.0)
    i0, i1, even, odd = (each * np.exp(small) for each in _recurrence(small, 1))
    log = np.log(small / 2) + _GAMMA
    near = 2 * even - log * i0 if order == 0 else i0 / small + (log - 1) * i1 - odd
    far = _k_scaled(order, np.maximum(x, 1.0))
    if scaled:
        value = np.where(x < 2, near * np.exp(small), far)
    else:
        value = np.where(x < 2, near, far * np.exp(-x))
    value = np.where(np.isinf(x), 0.0, value)
    return np.where(x > 0, value, np.where(x == 0, np.inf, np.nan))


def _grown(order: int, x: Array) -> Array:
    return _modified_scaled(order, x) * np.exp(np.abs(x))


def _of_order(order: int, function: Callable[..., Array], **options: bool) -> Function:
    return in_double(functools.partial(function, order, **options))


# First kind, second kind, modified first and second kind; "e" means exponentially scaled.
j0, j1 = _of_order(0, _first), _of_order(1, _first)
y0, y1 = _of_order(0, _second), _of_order(1, _second)
i0, i1 = _of_order(0, _grown), _of_order(1, _grown)
i0e, i1e = _of_order(0, _modified_scaled), _of_order(1, _modified_scaled)
k0 = _of_order(0, _modified_second, scaled=False)
k1 = _of_order(1, _modified_second, scaled=False)
k0e = _of_order(0, _modified_second, scaled=True)
k1e = _of_order(1, _modified_second, scaled=True)


@in_double
def spherical_j0(x: Array) -> Array:
    """Return ``sin(x) / x``."""
    return np.where(np.isinf(x), 0.0, np.sinc(x / np.pi))


@in_double
def airy_ai(x: Array) -> Array:
    """Return the Airy function Ai: the solution of ``y'' = x y`` that vanishes for large ``x``."""
    size = np.abs(x)
    zeta = 2 / 3 * size * np.sqrt(size)
    right = np.sqrt(size / 3) / np.pi * _k_scaled(1 / 3, np.maximum(zeta, 1.0)) * np.exp(-zeta)
    even, odd = _hankel(1 / 3, np.maximum(zeta, 10.0), -1)
    angle = zeta - np.pi / 4
    left = (even * np.cos(angle) - odd * np.sin(angle)) / np.sqrt(np.pi * np.sqrt(size))
    near = _airy_series(np.clip(x, -8.0, 2.0))
    return np.where(x > 2, right, np.where(x < -8, left, near))


def _airy_series(x: Array) -> Array:
    """Sum the series in powers of ``x**3`` (DLMF 9.4.1)."""
    cube = x * x * x
    f, g = np.ones_like(x), x
    total_f, total_g = f, g
    for k in range(1, 50):
        f = f * cube / ((3 * k - 1) * (3 * k))
        g = g * cube / ((3 * k) * (3 * k + 1))
        total_f, total_g = total_f + f, total_g + g
    return total_f / (3 ** (2 / 3) * math.gamma(2 / 3)) - total_g / (
        3 ** (1 / 3) * math.gamma(1 / 3)
    )
