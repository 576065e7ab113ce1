"""Comparison of results: assert_close, as in ``torch.testing``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Number
from typing import Any

import numpy as np

from torchstone.microtorch.tensor import Array, Tensor, wrap

# (rtol, atol) by dtype; integer and boolean dtypes must be equal.
_TOLERANCES = {
    "float16": (1e-3, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7),
}  # fmt: skip


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise an AssertionError unless two tensors, numbers, sequences or mappings are close.

    Close means ``|actual - expected| <= atol + rtol * |expected|``. The default ``rtol`` and
    ``atol`` depend on the dtype; integers must be equal.

    Raises:
        AssertionError: They are not close, or differ in shape or dtype.
        ValueError: Only one of ``rtol`` and ``atol`` is given.
    """
    if (rtol is None) != (atol is None):
        missing = "rtol" if rtol is None else "atol"
        raise ValueError(
            f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}."
        )
    given = None if rtol is None or atol is None else (rtol, atol)
    fault = _Comparison(given, equal_nan, check_dtype, check_stride).fault(actual, expected)
    if fault:
        raise AssertionError(fault if msg is None else msg if isinstance(msg, str) else msg(fault))


class _Comparison:
    """Comparison settings of ``assert_close``."""

    def __init__(
        self, given: tuple[float, float] | None, equal_nan: bool, dtype: bool, stride: bool
    ) -> None:
        self.given, self.equal_nan, self.dtype, self.stride = given, equal_nan, dtype, stride

    def fault(self, actual: Any, expected: Any, path: str = "") -> str:
        """Return a description of how two values differ; empty if they are close."""
        kinds = [
            kind
            for kind in (Mapping, Sequence, Tensor, np.ndarray, bool, Number)
            if isinstance(actual, kind) and isinstance(expected, kind)
        ]
        where = f"\n\nThe failure occurred for item {path}" if path else ""
        if actual is None or expected is None:
            same = actual is expected
            return "" if same else f"None mismatch: {actual} is not {expected}{where}"
        if not kinds or isinstance(actual, str):
            raise TypeError(
                f"No comparison pair was able to handle inputs of type {type(actual)} and "
                f"{type(expected)}.{where}"
            )
        if kinds[0] is Mapping:
            return self._mappings(actual, expected, path) or ""
        if kinds[0] is Sequence:
            if len(actual) != len(expected):
                return f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
            return self._mappings(dict(enumerate(actual)), dict(enumerate(expected)), path)
        fault = self._values(actual, expected)
        return fault + where if fault else ""

    def _mappings(self, actual: Any, expected: Any, path: str) -> str:
        if actual.keys() != expected.keys():
            missing, more = expected.keys() - actual.keys(), actual.keys() - expected.keys()
            return (
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {sorted(missing)}\n"
                f"Additional keys in the actual mapping: {sorted(more)}"
            )
        faults = (self.fault(actual[key], expected[key], f"{path}[{key!r}]") for key in actual)
        return next(filter(None, faults), "")

    def _values(self, actual: Any, expected: Any) -> str:
        if isinstance(actual, bool):
            same = actual is expected
            return "" if same else f"Booleans mismatch: {actual} is not {expected}"
        if isinstance(actual, Number):
            if self.dtype and type(actual) is not type(expected):
                return f"The (d)types do not match: {type(actual)} != {type(expected)}."
            both = [wrap(np.asarray(x)) for x in (actual, expected)]
        else:
            both = [wrap(x) if isinstance(x, np.ndarray) else x for x in (actual, expected)]
        for name, wanted in (("shape", True), ("dtype", self.dtype), ("stride()", self.stride)):
            one, two = (x.stride() if name == "stride()" else getattr(x, name) for x in both)
            if wanted and one != two:
                return f"The values for attribute '{name}' do not match: {one} != {two}."
        limits = self.given or max(_TOLERANCES.get(x.dtype.name, (0.0, 0.0)) for x in both)
        return self._arrays(both[0].array, both[1].array, *limits)

    def _arrays(self, actual: Array, expected: Array, rtol: float, atol: float) -> str:
        # Integers are widened so that their difference cannot overflow.
        actual, expected = (
            each.astype(np.int64) if each.dtype.kind in "biu" else each
            for each in (actual, expected)
        )
        difference = np.abs(actual - expected)
        is_close = np.isfinite(difference) & (difference <= atol + rtol * np.abs(expected))
        is_close |= actual == expected
        if self.equal_nan:
            is_close |= np.isnan(actual) & np.isnan(expected)
        if is_close.all():
            return ""
        verdict = "close" if rtol or atol else "equal"
        allowed = [
            "" if verdict == "equal" else f" (up to {limit} allowed)" for limit in (atol, rtol)
        ]
        relative = difference / np.abs(expected)
        if not actual.ndim:
            return (
                f"Scalars are not {verdict}!\n\nExpected {expected} but got {actual}.\n"
                f"Absolute difference: {difference}{allowed[0]}\n"
                f"Relative difference: {relative}{allowed[1]}"
            )
        if actual.dtype.kind == "i":
            relative = relative.astype(np.float32)
        # Close elements, such as equal infinities, are not candidates for the greatest difference.
        worst = [np.where(is_close, 0, each) for each in (difference, relative)]
        places = [tuple(map(int, np.unravel_index(each.argmax(), each.shape))) for each in worst]
        wrong = is_close.size - int(is_close.sum())
        return (
            f"Tensor-likes are not {verdict}!\n\n"
            f"Mismatched elements: {wrong} / {is_close.size} ({wrong / is_close.size:.1%})\n"
            f"Greatest absolute difference: {worst[0][places[0]].item()} at index {places[0]}"
            f"{allowed[0]}\n"
            f"Greatest relative difference: {worst[1][places[1]].item()} at index {places[1]}"
            f"{allowed[1]}"
        )
