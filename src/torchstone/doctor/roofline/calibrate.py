"""Calibration: measure the peak performance of this processor, for traces without a device.

Products of square matrices measure the operations per second for each dtype that NumPy multiplies,
and a sum of arrays larger than all caches the bandwidth. The fastest of several rounds counts:
other load on the machine can only slow a round down.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from torchstone.doctor.roofline.peaks import Peaks

_SIZE = 768
_ARRAY_BYTES = 64 << 20
# The time is divided among three measurements.
_SECONDS = 0.8


def calibrate(seconds: float = _SECONDS, *, name: str = "CPU") -> Peaks:
    """Measure the peaks of the processor.

    Args:
        seconds: Approximate time for all three measurements.
        name: Name of the peaks.

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
    """Return the shortest time of a call, after a warm-up call."""
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
