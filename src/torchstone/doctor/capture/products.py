"""Measure the throughput of torch's matrix product for dtypes that NumPy lacks; prints JSON."""

from __future__ import annotations

import json
import sys
import time

import torch

_SIZE = 768
_DTYPES = ("bfloat16", "float16")
_SECONDS = 0.8


def measure(dtype: str, seconds: float = _SECONDS) -> float | None:
    """Return the operations per second of a matrix product; None for an unsupported dtype."""
    try:
        a = torch.ones(_SIZE, _SIZE, dtype=getattr(torch, dtype))
        torch.mm(a, a)
    except RuntimeError:
        return None
    until, best = time.perf_counter() + seconds, float("inf")
    while (begin := time.perf_counter()) < until:
        torch.mm(a, a)
        best = min(best, time.perf_counter() - begin)
    return 2 * _SIZE**3 / best


def main() -> None:
    """Print the number of threads, and the operations per second for each dtype."""
    found = {dtype: flops for dtype in _DTYPES if (flops := measure(dtype)) is not None}
    sys.stdout.write(json.dumps({"threads": torch.get_num_threads(), "flops": found}) + "\n")


if __name__ == "__main__":
    main()
