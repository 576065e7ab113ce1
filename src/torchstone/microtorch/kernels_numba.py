"""Numba kernels: compiled forms of the NumPy kernels, imported at first use.

Each kernel does in one pass what NumPy does in several, with the same operations in the same order
and without ``fastmath``, so that NaN, infinities and the last bit equal NumPy's. Arrays are passed
as flat memory; memory layouts that do not occur in training are left to NumPy.

Indices are unsigned. For signed indices numba checks whether each one counts from the end, and that
check prevents vectorization.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from torchstone.microtorch.ops.activations import relu_gradient
from torchstone.microtorch.ops.correlation import Sizes, spell_out
from torchstone.microtorch.ops.pooling_max import Taps, max_gradient, max_values
from torchstone.microtorch.optim.adam import average
from torchstone.microtorch.tensor import Array

# numba has no type annotations and may be absent when types are checked.
numba: Any = importlib.import_module("numba")
F = TypeVar("F", bound=Callable[..., Any])
_index = np.uint64
_TYPES = "fd"
_MOST_LOOPS = 5


def _compile(function: F) -> F:
    compiled: F = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    return compiled


@_compile
def _gate(grad: Any, output: Any, result: Any) -> None:
    zero = grad.dtype.type(0)
    for i in range(grad.size):
        result[i] = grad[i] if output[i] != 0 else zero


@relu_gradient.form
def _relu_gradient(grad_output: Array, output: Array) -> Array:
    if (
        (grad_output.shape, grad_output.strides) != (output.shape, output.strides)
        or grad_output.dtype is not output.dtype
        or output.dtype.char not in _TYPES
    ):
        return relu_gradient.plain(grad_output, output)
    result = np.empty_like(output)
    _gate(grad_output.ravel("K"), output.ravel("K"), result.ravel("K"))
    return result


@_compile
def _copy_runs(source: Any, sizes: Any, steps: Any, run: int, result: Any) -> None:
    s0, s1, s2, s3, s4 = sizes
    t0, t1, t2, t3, t4 = steps
    at, length = _index(0), _index(run)
    for i0 in range(s0):
        for i1 in range(s1):
            for i2 in range(s2):
                for i3 in range(s3):
                    begin = _index(i0 * t0 + i1 * t1 + i2 * t2 + i3 * t3)
                    for _ in range(s4):
                        for c in range(length):
                            result[at + c] = source[begin + c]
                        begin += _index(t4)
                        at += length


@lru_cache(maxsize=256)
def _runs(shape: Sizes, strides: Sizes, itemsize: int) -> tuple[Sizes, Sizes, int] | None:
    """Return loop sizes, loop steps and run length that cover a view; None if it has no runs."""
    joined: list[tuple[int, int]] = []
    for size, stride in zip(shape, strides, strict=True):
        if size == 1:
            continue
        if joined and joined[-1][1] == size * stride:
            joined[-1] = joined[-1][0] * size, stride
        else:
            joined.append((size, stride))
    if not 2 <= len(joined) <= _MOST_LOOPS + 1 or joined[-1][1] != itemsize:
        return None
    *loops, (run, _) = [(1, 0)] * (_MOST_LOOPS + 1 - len(joined)) + joined
    return tuple(size for size, _ in loops), tuple(step // itemsize for _, step in loops), run


@spell_out.form
def _spell_out(source: Array, shape: Sizes, strides: Sizes, matrices: Sizes) -> Array:
    runs = _runs(shape, strides, source.itemsize)
    memory = source.ravel("K")
    # ``ravel`` copies only if the memory has gaps.
    if runs is None or memory.flags.owndata or source.dtype.char not in _TYPES:
        return spell_out.plain(source, shape, strides, matrices)
    result = np.empty(math.prod(shape), source.dtype)
    _copy_runs(memory, *runs, result)
    return result.reshape(matrices)


@_compile
def _pool(x: Any, rows: int, width: int, channels: int, result: Any) -> None:
    line, step = _index(width * channels), _index(channels)
    at = begin = _index(0)
    for _ in range(rows):
        for _ in range(width // 2):
            for c in range(step):
                place = begin + c
                best = x[place]
                value = x[place + step]
                best = value if (value > best) | (value != value) else best
                value = x[place + line]
                best = value if (value > best) | (value != value) else best
                value = x[place + line + step]
                best = value if (value > best) | (value != value) else best
                result[at + c] = best
            begin += step + step
            at += step
        begin += line


@_compile
def _unpool(x: Any, grad: Any, rows: int, width: int, channels: int, result: Any) -> None:
    line, step = _index(width * channels), _index(channels)
    # For each channel of one window, the index of the maximum within the window.
    number = np.empty(channels, np.int32)
    zero = x.dtype.type(0)
    at = begin = _index(0)
    for _ in range(rows):
        for _ in range(width // 2):
            for c in range(step):
                place = begin + c
                best, found = x[place], np.int32(0)
                value = x[place + step]
                better = (value > best) | (value != value)
                best, found = (value, np.int32(1)) if better else (best, found)
                value = x[place + line]
                better = (value > best) | (value != value)
                best, found = (value, np.int32(2)) if better else (best, found)
                value = x[place + line + step]
                better = (value > best) | (value != value)
                number[c] = np.int32(3) if better else found
            taps = ((0, begin), (1, begin + step), (2, begin + line), (3, begin + line + step))
            for tap, place in taps:
                for c in range(step):
                    result[place + c] = grad[at + c] if number[c] == tap else zero
            begin += step + step
            at += step
        begin += line


def _is_pool_of_four(x: Array, taps: Taps, is_tiling: bool) -> bool:
    """Return whether the windows are 2 x 2 with stride 2 over a channels-last image."""
    return (
        is_tiling
        and x.ndim == 4
        and [len(each) for each in taps] == [2, 2]
        and x.shape[2] % 2 == x.shape[3] % 2 == 0
        and x.dtype.char in _TYPES
        and x.transpose(0, 2, 3, 1).flags.c_contiguous
    )


@max_values.form
def _max_values(x: Array, taps: Taps, is_tiling: bool) -> Array:
    if not _is_pool_of_four(x, taps, is_tiling):
        return max_values.plain(x, taps, is_tiling)
    batch, channels, height, width = x.shape
    result = np.empty((batch, height // 2, width // 2, channels), x.dtype)
    _pool(x.ravel("K"), batch * (height // 2), width, channels, result.reshape(-1))
    return result.transpose(0, 3, 1, 2)


@max_gradient.form
def _max_gradient(
    grad_output: Array, input: Array, result: Array, taps: Taps, is_tiling: bool
) -> Array:
    if (
        not _is_pool_of_four(input, taps, is_tiling)
        or grad_output.dtype is not input.dtype
        or grad_output.shape != result.shape
    ):
        return max_gradient.plain(grad_output, input, result, taps, is_tiling)
    batch, channels, height, width = input.shape
    grad = np.ascontiguousarray(grad_output.transpose(0, 2, 3, 1)).reshape(-1)
    spread = np.empty_like(input)
    _unpool(input.ravel("K"), grad, batch * (height // 2), width, channels, spread.ravel("K"))
    return spread


@_compile
def _average(grad: Any, mean: Any, square: Any, update: Any, factors: Any) -> None:
    rest1, beta2, rest2, scale, eps, rate = factors
    for i in range(grad.size):
        mean[i] += (grad[i] - mean[i]) * rest1
        square[i] = square[i] * beta2 + grad[i] * rest2 * grad[i]
        update[i] = mean[i] / (np.sqrt(square[i]) * scale + eps) * rate


@average.form
def _adam_average(
    grad: Array, means: Mapping[str, Array], update: Array, factors: tuple[float, ...]
) -> None:
    if "max_exp_avg_sq" in means or grad.dtype.char not in _TYPES:
        average.plain(grad, means, update, factors)
        return
    numbers = tuple(map(grad.dtype.type, factors))
    _average(grad, means["exp_avg"], means["exp_avg_sq"], update, numbers)
