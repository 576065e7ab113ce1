"""Window functions: hann, hamming, blackman, bartlett, kaiser, gaussian."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from torchstone.microtorch.dtypes import dtype as Dtype
from torchstone.microtorch.ops.creation import finished, numpy_dtype
from torchstone.microtorch.ops.namespace import named, op
from torchstone.microtorch.tensor import Array, Tensor

# Maps positions in [-1, 1] to window weights.
Shape = Callable[[Array], Array]


def _weights(
    name: str, M: int, shape: Shape, *, sym: bool, dtype: Dtype | None, **options: Any
) -> Tensor:
    """Evaluate a window at equally spaced positions; a periodic one omits the last position."""
    numpy = numpy_dtype(dtype)
    if numpy.kind != "f" or numpy.itemsize < 4:
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if M < 2:
        return finished(np.ones(M, numpy), options)
    places = np.linspace(-1, 1, M if sym else M + 1)
    return finished(shape(places)[:M].astype(numpy), options)


def _cosines(coefficients: Iterable[float]) -> Shape:
    a = list(coefficients)
    return lambda x: np.add.reduce(
        [each * np.cos(math.pi * order * x) for order, each in enumerate(a)]
    )


def _define(name: str, shape_of: Callable[..., Shape], **defaults: Any) -> None:
    """Register a window in ``signal.windows``."""

    def window(M: int, *, sym: bool = True, dtype: Dtype | None = None, **options: Any) -> Tensor:
        own = {key: options.pop(key, value) for key, value in defaults.items()}
        return _weights(name, M, shape_of(M, sym, **own), sym=sym, dtype=dtype, **options)

    what = f"Compute the {name} window of ``M`` points."
    op("signal.windows")(named(window, name, what))


def _half_span(M: int, sym: bool) -> float:
    """Return half the distance between the first and the last position."""
    return (M - 1 if sym else M) / 2


def _bump(M: int, sym: bool) -> Shape:
    # Half a period of the cosine, with its zeros half a step outside the window.
    whole = M if sym else M + 1
    return lambda x: np.cos(math.pi / 2 * x * (len(x) - 1) / whole)


def _exponential(M: int, sym: bool, center: float | None, tau: float) -> Shape:
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    middle = _half_span(M, sym) if center is None else center
    return lambda x: np.exp(-np.abs(np.arange(len(x)) - middle) / tau)


def _gaussian(M: int, sym: bool, std: float) -> Shape:
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    return lambda x: np.exp(-0.5 * (x * _half_span(M, sym) / std) ** 2)


def _kaiser(M: int, sym: bool, beta: float = 12.0) -> Shape:
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    return lambda x: np.i0(beta * np.sqrt(np.maximum(1 - x * x, 0))) / np.i0(beta)


def _general_hamming(M: int, sym: bool, alpha: float) -> Shape:
    return _cosines((alpha, 1 - alpha))


def _general_cosine(M: int, sym: bool, a: Iterable[float]) -> Shape:
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    coefficients = list(a)
    if not coefficients:
        raise ValueError("Coefficients cannot be empty")
    return _cosines(coefficients)


_define("nuttall", lambda M, sym: _cosines((0.3635819, 0.4891775, 0.1365995, 0.0106411)))
_define("cosine", _bump)
_define("exponential", _exponential, center=None, tau=1.0)
_define("gaussian", _gaussian, std=1.0)
_define("kaiser", _kaiser, beta=12.0)
_define("general_hamming", _general_hamming, alpha=0.54)
_define("general_cosine", _general_cosine, a=())


def _define_old(name: str, shape_of: Callable[..., Shape]) -> None:
    """Register a window under its old name in the package; it is periodic by default."""

    def window(
        window_length: int,
        periodic: bool = True,
        *own: float,
        dtype: Dtype | None = None,
        **options: Any,
    ) -> Tensor:
        named = {key: options.pop(key) for key in ("alpha", "beta") if key in options}
        sym = not periodic
        shape = shape_of(window_length, sym, *own, **named)
        return _weights(f"{name}_window", window_length, shape, sym=sym, dtype=dtype, **options)

    op(method=False)(
        named(window, f"{name}_window", f"Compute the {name} window of ``window_length`` points.")
    )


_OF_BOTH_NAMES: dict[str, Callable[..., Shape]] = {
    "hann": lambda M, sym: _cosines((0.5, 0.5)),
    "hamming": lambda M, sym, alpha=0.54, beta=0.46: _cosines((alpha, beta)),
    "blackman": lambda M, sym: _cosines((0.42, 0.5, 0.08)),
    "bartlett": lambda M, sym: lambda x: 1 - np.abs(x),
}
for _name, _shape_of in _OF_BOTH_NAMES.items():
    _define(_name, _shape_of)
    _define_old(_name, _shape_of)
_define_old("kaiser", _kaiser)
