"""Train on a GPU with an answer to problem 24: an adapter from its protocol to CUDA.

``python examples/prefetch_on_cuda.py [FILE]`` times a loop that copies each batch when it needs it,
and one with the ``PrefetchLoader`` of FILE; without FILE, with that of the model solution. Without
a GPU it says so in one line.
"""

from __future__ import annotations

import runpy
import sys
import time
from collections.abc import Iterable
from typing import Any

import torch

from torchstone.bank.loader import CONTENT

SOLUTION = CONTENT / "problems/24_prefetch_loader/solution.py"
WIDTH, NUM_BATCHES, WARM_UP = 4096, 60, 5


class CudaDevice:
    """The protocol of problem 24 on CUDA; its streams and events are those of torch."""

    def stream(self) -> torch.cuda.Stream:
        """Make a new stream."""
        return torch.cuda.Stream()

    def current_stream(self) -> torch.cuda.Stream:
        """Return the stream on which the caller computes."""
        return torch.cuda.current_stream()

    def pin(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return a page-locked copy."""
        return tensor.pin_memory()

    def copy_async(self, tensor: torch.Tensor, stream: torch.cuda.Stream) -> torch.Tensor:
        """Queue a copy; its memory belongs to this stream."""
        with torch.cuda.stream(stream):
            return tensor.to("cuda", non_blocking=True)

    def record_stream(self, tensor: torch.Tensor, stream: torch.cuda.Stream) -> None:
        """Keep freed memory until this stream is done with it."""
        tensor.record_stream(stream)


class OnDemand:
    """Copy each batch when it is needed, on the stream that computes."""

    def __init__(self, loader: Iterable[torch.Tensor]) -> None:
        self._loader = loader

    def __iter__(self) -> Any:
        return (batch.to("cuda") for batch in self._loader)


def ms_per_batch(loader: Iterable[torch.Tensor], weight: torch.Tensor) -> tuple[float, float]:
    """Return the milliseconds of a batch, and a sum over all results."""
    total = torch.zeros((), device="cuda", dtype=torch.float64)
    started = 0.0
    for number, batch in enumerate(loader):
        if number == WARM_UP:
            torch.cuda.synchronize()
            started = time.perf_counter()
        for _ in range(4):
            batch = torch.tanh(batch @ weight)
        total += batch.sum(dtype=torch.float64)
    torch.cuda.synchronize()
    return (time.perf_counter() - started) * 1e3 / (NUM_BATCHES - WARM_UP), total.item()


def main(arguments: list[str]) -> int:
    """Compare the two loops."""
    if not torch.cuda.is_available():
        sys.stdout.write("no CUDA device: there is nothing to overlap here\n")
        return 0
    scope = runpy.run_path(arguments[0] if arguments else str(SOLUTION))
    weight = torch.randn(WIDTH, WIDTH, device="cuda") / WIDTH**0.5
    batches = [torch.randn(WIDTH, WIDTH).pin_memory() for _ in range(4)] * (NUM_BATCHES // 4)
    on_demand, expected = ms_per_batch(OnDemand(batches), weight)
    loader = scope["PrefetchLoader"](batches, CudaDevice(), depth=2, pin=False)
    prefetched, total = ms_per_batch(loader, weight)
    sys.stdout.write(f"on demand  {on_demand:6.2f} ms a batch\n")
    sys.stdout.write(f"prefetched {prefetched:6.2f} ms a batch\n")
    sys.stdout.write(f"results are {'equal' if total == expected else 'different'}\n")
    return 0 if total == expected else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
