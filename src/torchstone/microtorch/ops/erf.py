"""Error functions on arrays: erf, erfc, erfcx, erfinv, ndtr, log_ndtr, ndtri.

All are derived from ``erfcx(x) = exp(x * x) * erfc(x)``, which is smooth and positive and neither
overflows nor underflows: ``(1 + 2 x) erfcx(x)`` is a polynomial of ``(x - c) / (x + c)`` to double
precision, for all ``x >= 0``.

Source:
    Schonfelder, Chebyshev expansions for the error and related functions (1978), for the form. The
    coefficients were computed for this module with fifty digits.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np

from torchstone.microtorch.tensor import Array

_CENTRE = 3.5
_SCALED = (
    1.2423492448711544, -0.1400091801376197, -0.010555596332218569, 0.09751909515328706,
    -0.11508959816017852, 0.08798315382403678, -0.04882332582812556, 0.019099330953271165,
    -0.004215019906373612, -0.0003022679534333239, 0.000564384418191686, -0.000121512120919801,
    -4.2782285632870666e-05, 2.4260300984917967e-05, 2.328626178388197e-06,
    -3.8140125844906444e-06, -4.514314628082944e-08, 6.01482384994983e-07,
    -6.4669730899044374e-09, -9.640042531439437e-08, -7.570179756124649e-10,
    1.3624442778682605e-08, 6.02197201506057e-10, -1.165668788917008e-09, -9.029888341848637e-11,
)  # fmt: skip
# erf(x) = x P(x * x) / Q(x * x) in single precision, for x in [-4, 4].
_SINGLE_P = (
    1.128379139368135, 0.1935376182908944, 0.05310077049613367, 0.003883031273116021,
    0.0002845595589223229, 1.98684358821749e-06,
)  # fmt: skip
_SINGLE_Q = (
    1.0, 0.5048508055313535, 0.1153469310308643, 0.015206619957648708, 0.0011854969888081136,
    3.7420491484651084e-05,
)  # fmt: skip
# The Taylor series of erf(x) / x in x * x: exact to the last bit for |x| < 0.5.
_TAYLOR = tuple(
    2 / math.sqrt(math.pi) * (-1) ** n / (math.factorial(n) * (2 * n + 1)) for n in range(13)
)


def in_double(function: Callable[..., Array]) -> Callable[..., Array]:
    """Compute in double precision, and return the result in the dtype of the first operand."""

    @functools.wraps(function)
    def call(*arrays: Array) -> Array:
        if any(each.dtype.kind == "c" for each in arrays):
            raise TypeError("it is for real numbers")
        result = function(*[np.asarray(each, np.float64) for each in arrays])
        return np.asarray(result).astype(arrays[0].dtype, copy=False)

    return call


def polynomial(coefficients: Sequence[float], x: Array) -> Array:
    """Evaluate a polynomial, constant term first, by Horner's rule."""
    result = np.full_like(x, coefficients[-1])
    for each in reversed(coefficients[:-1]):
        result *= x
        result += x.dtype.type(each)
    return result


def _exp_of_square(x: Array, sign: float) -> Array:
    """Return ``exp(sign * x * x)`` without the relative error that grows with ``x``."""
    x = np.minimum(np.abs(x), 40.0)
    # Split x into a part with so few bits that its square is exact, and the rest.
    big = x * 134217729.0
    high = big - (big - x)
    return np.exp(sign * high * high) * np.exp(sign * (x - high) * (x + high))


def _scaled(x: Array) -> Array:
    """Return ``erfcx(x)`` for ``x >= 0``."""
    shifted = x + _CENTRE
    return polynomial(_SCALED, 1 - 2 * _CENTRE / shifted) / (1 + 2 * x)


@in_double
def erfcx(x: Array) -> Array:
    """Return ``exp(x * x) * erfc(x)``."""
    tail = _scaled(np.abs(x))
    return np.where(x < 0, 2 * _exp_of_square(x, 1.0) - tail, tail)


@in_double
def erfc(x: Array) -> Array:
    """Return ``1 - erf(x)`` without cancellation for large ``x``."""
    tail = _exp_of_square(x, -1.0) * _scaled(np.abs(x))
    return np.where(x < 0, 2 - tail, tail)


def erf(x: Array) -> Array:
    """Return the error function."""
    if x.dtype == np.float32:
        limited = np.clip(x, np.float32(-4), np.float32(4))
        square = np.asarray(limited * limited)
        ratio = limited * polynomial(_SINGLE_P, square) / polynomial(_SINGLE_Q, square)
        return np.clip(ratio, np.float32(-1), np.float32(1))
    return _erf_double(x)


@in_double
def _erf_double(x: Array) -> Array:
    centre = x * polynomial(_TAYLOR, np.asarray(np.minimum(x * x, 0.25)))
    return np.where(np.abs(x) < 0.5, centre, np.sign(x) * (1 - erfc(np.abs(x))))


def _inverse_erfc(q: Array) -> Array:
    """Solve ``erfc(y) = q`` for ``y >= 0``, with ``q`` in [0, 1].

    Source:
        Winitzki, A handy approximation for the error function and its inverse (2008), for the
        first guess; then Halley's method, which triples the digits at each step.
    """
    a = 0.147
    log = np.log(q * (2 - q))
    middle = 2 / (np.pi * a) + log / 2
    # The guess is too small for small q, because -log(q) grows as y * y.
    y = np.sqrt(np.sqrt(middle * middle - log / a) - middle)
    for _ in range(4):
        step = (np.sqrt(np.pi) / 2) * (_scaled(y) - q * _exp_of_square(y, 1.0))
        y = y + step / (1 - y * step)
    return np.where(q == 0, np.inf, y)


@in_double
def erfinv(x: Array) -> Array:
    """Return the inverse error function."""
    size = np.abs(x)
    y = _inverse_erfc(1 - size)
    # Near 0, ``1 - x`` has lost digits of ``x``: refine with ``erf`` instead of ``erfc``.
    near = np.where(size < 0.5, y, 0.0)
    near = near - (np.sqrt(np.pi) / 2) * (erf(near) - size) * np.exp(near * near)
    return np.sign(x) * np.where(size < 0.5, near, y)


@in_double
def ndtr(x: Array) -> Array:
    """Return the cumulative distribution function of the standard normal distribution."""
    return erfc(x * -np.sqrt(0.5)) / 2


@in_double
def log_ndtr(x: Array) -> Array:
    """Return the logarithm of ``ndtr``."""
    scaled = x * np.sqrt(0.5)
    below = np.log(erfcx(np.maximum(-scaled, 0.0)) / 2) - scaled * scaled
    return np.where(x < -1, below, np.log1p(-erfc(scaled) / 2))


@in_double
def ndtri(p: Array) -> Array:
    """Return the quantile function of the standard normal distribution."""
    lower = np.where(p <= 0.5, p, 1 - p)
    # Near 0.5 the difference from 0.5 is more accurate.
    y = np.where(np.abs(p - 0.5) < 0.25, np.abs(erfinv(2 * p - 1)), _inverse_erfc(2 * lower))
    return np.sqrt(2.0) * np.where(p <= 0.5, -y, y)
