"""Orthogonal polynomials: Chebyshev, Hermite, Laguerre, Legendre.

Source:
    NIST Digital Library of Mathematical Functions, 18.5(i), 18.7(i) and 18.9(i).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from torchstone.microtorch.ops.arithmetic import define
from torchstone.microtorch.ops.erf import in_double
from torchstone.microtorch.tensor import Array

Step = Callable[[int, Array, Array, Array], Array]
Polynomial = Callable[[Array, Array], Array]


def _run(x: Array, n: Array, first: Array, step: Step) -> Array:
    """Evaluate the polynomial of degree ``n`` by recurrence; 0 for a negative degree."""
    result = np.where(n == 0, 1.0, np.where(n == 1, first, 0.0))
    before, here = np.ones_like(first), first
    for k in range(1, int(np.max(n, initial=1))):
        before, here = here, step(k, x, here, before)
        result = np.where(n == k + 1, here, result)
        if not np.isfinite(here).any():
            return np.where(n > k, here, result)
    return result


def _classical(first: Callable[[Array], Array], step: Step) -> Polynomial:
    def evaluate(x: Array, n: Array) -> Array:
        x, n = np.broadcast_arrays(x, np.trunc(n))
        return _run(x, n, first(x), step)

    return in_double(evaluate)


def _chebyshev(
    first: Callable[[Array], Array],
    of_angle: Callable[[Array, Array], Array],
    *,
    is_shifted: bool,
) -> Polynomial:
    """Create a Chebyshev polynomial; high degrees inside (-1, 1) use its trigonometric form."""

    def evaluate(x: Array, n: Array) -> Array:
        x, n = np.broadcast_arrays(2 * x - 1 if is_shifted else x, np.trunc(n))
        is_high = (np.abs(x) < 1) & (n > 8)
        low = _run(x, np.where(is_high, 1, n), first(x), lambda k, x, p, q: 2 * x * p - q)
        return np.where(is_high, of_angle(n, np.arccos(np.clip(x, -1, 1))), low)

    return in_double(evaluate)


_KINDS = {
    "t": (lambda x: x, lambda n, angle: np.cos(n * angle)),
    "u": (lambda x: 2 * x, lambda n, angle: np.sin((n + 1) * angle) / np.sin(angle)),
    "v": (lambda x: 2 * x - 1, lambda n, angle: np.cos((n + 0.5) * angle) / np.cos(angle / 2)),
    "w": (lambda x: 2 * x + 1, lambda n, angle: np.sin((n + 0.5) * angle) / np.sin(angle / 2)),
}
_CLASSICAL = {
    "hermite_polynomial_h": _classical(
        lambda x: 2 * x, lambda k, x, here, before: 2 * (x * here - k * before)
    ),
    "hermite_polynomial_he": _classical(
        lambda x: x, lambda k, x, here, before: x * here - k * before
    ),
    "laguerre_polynomial_l": _classical(
        lambda x: 1 - x,
        lambda k, x, here, before: ((2 * k + 1 - x) * here - k * before) / (k + 1),
    ),
    "legendre_polynomial_p": _classical(
        lambda x: x,
        lambda k, x, here, before: ((2 * k + 1) * x * here - k * before) / (k + 1),
    ),
}


def _enter() -> None:
    polynomials = dict(_CLASSICAL)
    for kind, (first, of_angle) in _KINDS.items():
        for prefix in ("", "shifted_"):
            polynomials[f"{prefix}chebyshev_polynomial_{kind}"] = _chebyshev(
                first, of_angle, is_shifted=bool(prefix)
            )
    for name, function in polynomials.items():
        define(name, function, keeps_integers=False, inplace=False, namespaces=("special",))


_enter()
