"""Roofline limits of this machine: peak arithmetic and peak memory bandwidth.

Source:
    Williams et al., "Roofline: An Insightful Visual Performance Model for Multicore
    Architectures", 2009.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

# Large enough for a product to reach peak throughput, and for a copy to exceed the caches. A GPU
# would finish the CPU's product within the launch latency.
PRODUCT_WIDTH = {"cpu": 1024, "cuda": 8192}
COPY_BYTES = {"cpu": 2**28, "cuda": 2**30}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Best measured throughput of the machine.

    Attributes:
        flops_per_second: FLOP/s of a matrix product.
        bytes_per_second: Bytes read and written per second by a copy larger than the caches.
    """

    flops_per_second: float
    bytes_per_second: float

    def seconds(self, flops: int, num_bytes: int) -> float:
        """Return the minimum time for arithmetic and memory traffic that overlap, in seconds."""
        return max(flops / self.flops_per_second, num_bytes / self.bytes_per_second)


def measure_limits(
    dtype: torch.dtype = torch.float32, device: str = "cpu", rounds: int = 7
) -> Limits:
    """Measure the limits of this machine with PyTorch's current number of threads.

    Args:
        dtype: The dtype of the product.
        device: ``cpu`` or ``cuda``.
        rounds: The number of measurements, of which the best counts.
    """
    width, num_bytes = PRODUCT_WIDTH[device], COPY_BYTES[device]
    left, right = (torch.randn(width, width, device=device).to(dtype) for _ in range(2))
    source = torch.zeros(num_bytes // 4, device=device)
    # Written before it is measured, because the first touch of a page causes a page fault.
    target = source.clone()
    product_seconds = _best(lambda: left @ right, device, rounds)
    copy_seconds = _best(lambda: target.copy_(source), device, rounds)
    return Limits(
        flops_per_second=2 * width**3 / product_seconds,
        bytes_per_second=2 * num_bytes / copy_seconds,
    )


def _best(call: Callable[[], object], device: str, rounds: int) -> float:
    times = []
    for _ in range(rounds + 1):
        begun = time.perf_counter()
        call()
        if device != "cpu":
            torch.cuda.synchronize(device)
        times.append(time.perf_counter() - begun)
    # The first call includes initialization.
    return min(times[1:])
