"""Gamma functions on arrays: lgamma, digamma, polygamma, zeta.

Large arguments use asymptotic series with Bernoulli numbers; smaller ones are shifted up by the
recurrence, and negative ones use the reflection formula.

Source:
    NIST Digital Library of Mathematical Functions, chapters 5 (gamma, psi) and 25 (zeta functions).
"""

from __future__ import annotations

import functools
import math

import numpy as np

from torchstone.microtorch.ops.erf import in_double, polynomial
from torchstone.microtorch.tensor import Array

# B_2, B_4, ... as fractions.
_BERNOULLI = tuple(
    top / bottom
    for top, bottom in (
        (1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510),
        (43867, 798), (-174611, 330), (854513, 138), (-236364091, 2730),
    )
)  # fmt: skip
_STIRLING = tuple(b / (2 * k * (2 * k - 1)) for k, b in enumerate(_BERNOULLI[:9], 1))
_PSI = tuple(b / (2 * k) for k, b in enumerate(_BERNOULLI[:9], 1))
# The asymptotic series are accurate to the last bits from here on.
_LARGE = 10.0


def _from_nearest(x: Array) -> Array:
    """Return the signed distance to the nearest integer, which keeps sin(pi x) accurate."""
    return x - np.rint(x)


def _correction(x: Array) -> Array:
    """Return the correction term of Stirling's formula, for large ``x``."""
    return polynomial(_STIRLING, np.asarray(1 / (x * x))) / x


def _stirling(x: Array) -> Array:
    return (x - 0.5) * np.log(x) - x + (0.5 * math.log(2 * math.pi) + _correction(x))


@functools.cache
def _around_two() -> tuple[float, ...]:
    """Return the Taylor series of ``lgamma(2 + z) / z`` (DLMF 5.7.3)."""
    powers = np.arange(2, 30, dtype=np.float64)
    coefficients = zeta(powers, np.full_like(powers, 2.0)) / powers * (-1) ** powers
    return (1 - float(np.euler_gamma), *coefficients.tolist())


def _lgamma_small(x: Array) -> Array:
    """Return lgamma on (0, 10), by a series around 2 that is accurate at the zeros 1 and 2."""
    x = np.minimum(x, _LARGE)
    down, product = x, np.ones_like(x)
    for _ in range(8):
        is_above = down > 2.5
        down = np.where(is_above, down - 1, down)
        product = np.where(is_above, product * down, product)
    # Values below the interval are shifted up once or twice.
    first, second = down < 1.5, down < 0.5
    z = np.where(second, down, np.where(first, down - 1, down - 2))
    lift = np.where(second, np.log(down) + np.log1p(down), np.where(first, np.log1p(z), 0.0))
    return z * polynomial(_around_two(), np.asarray(z)) - lift + np.log(product)


@in_double
def lgamma(x: Array) -> Array:
    """Return the logarithm of the absolute value of the gamma function."""
    size = np.where(x > 0, x, 1 - x)
    positive = np.where(size < _LARGE, _lgamma_small(size), _stirling(np.maximum(size, _LARGE)))
    positive = np.where(np.isinf(x), np.inf, positive)
    reflected = np.log(np.pi / np.abs(np.sin(np.pi * _from_nearest(x)))) - positive
    is_negative = (x <= 0) & np.isfinite(x)
    return np.where(is_negative, reflected, positive)


@in_double
def digamma(x: Array) -> Array:
    """Return the digamma function, the derivative of lgamma."""
    up, steps = np.where(x > 0, x, 1 - x), np.zeros_like(x)
    for _ in range(int(_LARGE)):
        is_below = up < _LARGE
        steps = np.where(is_below, steps + 1 / up, steps)
        up = np.where(is_below, up + 1, up)
    square = np.asarray(1 / (up * up))
    positive = np.log(up) - 0.5 / up - square * polynomial(_PSI, square) - steps
    reflected = positive - np.pi / np.tan(np.pi * _from_nearest(x))
    at_pole = np.where(x == 0, np.copysign(np.inf, -x), np.nan)
    is_pole = (x <= 0) & (x == np.floor(x))
    return np.where(is_pole, at_pole, np.where(x > 0, positive, reflected))


@in_double
def zeta(s: Array, q: Array) -> Array:
    """Return the Hurwitz zeta function, the sum of ``(q + k) ** -s`` over ``k = 0, 1, ...``."""
    result = _zeta_positive(s, np.where(q <= 0, 1.0, q))
    is_negative = (q <= 0) & np.isfinite(q)
    if np.any(is_negative):
        part = np.where(is_negative & (q != np.floor(q)), q - np.floor(q), 0.5)
        # The terms with negative bases are the difference of two infinite sums.
        below = _zeta_positive(s, 1 - part) - _zeta_positive(s, np.where(is_negative, 1 - q, 1.0))
        sign = np.where(s % 2 == 0, 1.0, -1.0)
        result = np.where(is_negative, _zeta_positive(s, part) + sign * below, result)
        undefined = np.where(q == np.floor(q), np.inf, np.where(s == np.floor(s), result, np.nan))
        result = np.where(is_negative, undefined, result)
    return np.where(s > 1, result, np.where(s == 1, np.inf, np.nan))


def _zeta_positive(s: Array, q: Array) -> Array:
    """Sum the first terms, and the rest by the Euler-Maclaurin formula (DLMF 25.11.5)."""
    s, q = np.broadcast_arrays(s, q)
    total = np.zeros(s.shape)
    count = int(_LARGE)
    for k in range(count):
        total = total + (q + k) ** -s
    a = q + count
    power = a**-s
    total = total + power * (a / (s - 1) + 0.5)
    factor = s / a
    for j, bernoulli in enumerate(_BERNOULLI, 1):
        total = total + (bernoulli / math.factorial(2 * j)) * factor * power
        factor = factor * (s + 2 * j - 1) * (s + 2 * j) / (a * a)
    return np.where(np.isinf(q), 0.0, total)


def polygamma(n: int, x: Array) -> Array:
    """Return the ``n``-th derivative of digamma."""
    if n == 0:
        return digamma(x)
    order = np.asarray(n + 1.0)
    scale = math.factorial(n) * (-1.0) ** (n + 1)
    return np.asarray(scale * zeta(order, np.asarray(x, np.float64))).astype(x.dtype)
