"""Calibrate: measure what this machine's processor reaches, for traces without a card.

Products of square matrices give the operations a second of each type that NumPy multiplies, and a
sum of arrays larger than any cache the bytes a second. Of several rounds the fastest counts: a
peak is what the machine can do, and whatever else runs only takes from it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from torchstone.doctor.roofline.peaks import Peaks

_SIZE = 768
_ARRAY_BYTES = 64 << 20
# Three measurements share the time.
_SECONDS = 0.8


def calibrate(seconds: float = _SECONDS, *, name: str = "CPU") -> Peaks:
    """Measure the peaks of the processor.

    Args:
        seconds: How long each of three measurements may take, about.
        name: What the peaks are called.

    Returns:
        The peaks for float32 and float64. NumPy has no bfloat16: operators on it have no peak.
    """
    flops = {dtype: _measure_product(dtype, seconds) for dtype in ("float32", "float64")}
    return Peaks(name=name, flops=flops, bandwidth=_measure_bandwidth(seconds), is_measured=True)


def _measure_product(dtype: str, seconds: float) -> float:
    a = np.ones((_SIZE, _SIZE), dtype=dtype)
    out = np.empty_like(a)
    return 2 * _SIZE**3 / _fastest(lambda: np.matmul(a, a, out=out), seconds)


def _measure_bandwidth(seconds: float) -> float:
    size = _ARRAY_BYTES // 4
    a, b = np.ones(size, dtype=np.float32), np.ones(size, dtype=np.float32)
    out = np.zeros(size, dtype=np.float32)
    return 3 * _ARRAY_BYTES / _fastest(lambda: np.add(a, b, out=out), seconds)


def _fastest(run: Callable[[], object], seconds: float) -> float:
    """Return the shortest time of a call, after one that warms up."""
    run()
    until = time.perf_counter() + seconds
    best = float("inf")
    while True:
        begin = time.perf_counter()
        run()
        end = time.perf_counter()
        best = min(best, end - begin)
        if end > until:
            return best
