"""Ranges: arange, range, linspace, logspace."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.dtypes import dtype as Dtype
from torchstone.microtorch.ops.creation import dtype_of, finished, numpy_dtype
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.tensor import Array, Tensor


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, Tensor | np.generic) else value


@op(method=False)
def arange(
    start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Dtype | None = None, **options: Any
) -> Tensor:
    """Return the values from ``start`` up to ``end``, exclusive, at distance ``step``."""
    if end is None:
        start, end = 0, start
    start, end, step = (_number(each) for each in (start, end, step))
    dtype = dtype_of(dtype, options)
    if dtype is None:
        is_whole = all(dtypes.kind_of_scalar(each) < dtypes.FLOAT for each in (start, end, step))
        dtype = dtypes.int64 if is_whole else dtypes.get_default_dtype()
    if dtype.kind not in (dtypes.INTEGER, dtypes.FLOAT):
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{dtype.title}'")
    if not step:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if dtype.kind == dtypes.INTEGER:
        start, end, step = (int(each) for each in (start, end, step))
    if not step:
        raise ValueError("the step of an integer range can't be less than 1")
    count = math.ceil((end - start) / step)
    return finished((start + np.arange(count) * step).astype(dtype.numpy), options)


@op(name="range", method=False)
def range_(
    start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Dtype | None = None, **options: Any
) -> Tensor:
    """Return the values from ``start`` up to ``end``, inclusive, at distance ``step``."""
    if end is None:
        start, end = 0, start
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = math.floor((end - start) / step) + 1
    values = (start + np.arange(count) * step).astype(numpy_dtype(dtype))
    return finished(values, options)


def _line(start: Any, end: Any, steps: int, dtype: Dtype | None) -> tuple[Array, Any]:
    for each in (start, end):
        if isinstance(each, Tensor) and each.array.ndim:
            raise RuntimeError("linspace only supports 0-dimensional start and end tensors")
    if not hasattr(steps, "__index__"):
        raise TypeError(f"the number of steps must be an int, not {type(steps).__name__}")
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    start, end = _number(start), _number(end)
    if dtype is None:
        has_complex = isinstance(start, complex) or isinstance(end, complex)
        default = dtypes.get_default_dtype()
        dtype = default.to_complex() if has_complex else default
    if dtype.kind == dtypes.INTEGER:
        start, end = int(start), int(end)
    start, end = dtypes.held(start, dtype), dtypes.held(end, dtype)
    if steps == 1:
        return np.array([start]), dtype.numpy
    # Computed from both ends, so that both are exact and the values are symmetric.
    step = (end - start) / max(steps - 1, 1)
    places = np.arange(steps)
    first = places < steps // 2
    values = np.where(first, start + places * step, end - (steps - 1 - places) * step)
    return values, dtype.numpy


@op(method=False)
def linspace(
    start: Any, end: Any, steps: int, *, dtype: Dtype | None = None, **options: Any
) -> Tensor:
    """Return evenly spaced numbers over an interval."""
    values, numpy = _line(start, end, steps, dtype_of(dtype, options))
    return finished(values.astype(numpy), options)


@op(method=False)
def logspace(
    start: Any,
    end: Any,
    steps: int,
    base: float = 10.0,
    *,
    dtype: Dtype | None = None,
    **options: Any,
) -> Tensor:
    """Return powers of a base with evenly spaced exponents."""
    values, numpy = _line(start, end, steps, dtype_of(dtype, options))
    powers = np.power(float(base) if values.dtype.kind != "c" else base, values)
    return finished(powers.astype(numpy), options)
