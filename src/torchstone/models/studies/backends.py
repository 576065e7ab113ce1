"""Study of attention backends: time and memory over the sequence length.

One causal attention, forward and backward. The Triton kernels are omitted: on a CPU they run in an
interpreter, whose time is meaningless.

Run it: ``python -m torchstone.models.studies.backends [--short] [--json PATH]``.

Source:
    Dao, "FlashAttention-2: Faster Attention with Better Parallelism and Work Partitioning", 2023.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import torch
from torch import Tensor

from torchstone.models import BACKENDS, Mask
from torchstone.models.studies.measuring import follow_step, processor_ms, spread_of
from torchstone.models.studies.program import Study, run, say

NAMES = ("math", "flash", "sdpa")
LEFT_OUT = "triton is left out: on a CPU its kernels run in an interpreter."
DTYPES = (torch.float32, torch.bfloat16)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Shape of the attention, and number of timings."""

    seq_lens: tuple[int, ...]
    num_rounds: int
    batch: int = 1
    num_heads: int = 4
    head_dim: int = 64


SHORT = Plan(seq_lens=(64, 128, 256), num_rounds=2)
LONG = Plan(seq_lens=(128, 256, 512, 1024, 2048, 4096), num_rounds=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Cost of a backend at a sequence length.

    Attributes:
        backend: The name of the backend.
        dtype: The dtype of queries, keys and values.
        seq_len: The number of queries and of keys.
        held_bytes: Memory kept alive between forward and backward, including the result but not
            queries, keys and values.
        peak_bytes: Peak memory, forward and backward, likewise.
        forward_ms: CPU time, median.
        forward_spread_ms: Interquartile range over the rounds.
        backward_ms: Likewise, for backward.
        backward_spread_ms: Likewise, for backward.
    """

    backend: str
    dtype: str
    seq_len: int
    held_bytes: int
    peak_bytes: int
    forward_ms: float
    forward_spread_ms: float
    backward_ms: float
    backward_spread_ms: float


class Case:
    """Attention by one backend, with its inputs."""

    def __init__(self, plan: Plan, backend: str, dtype: torch.dtype, seq_len: int) -> None:
        generator = torch.Generator().manual_seed(0)
        shape = (plan.batch, plan.num_heads, seq_len, plan.head_dim)
        self._attend, self._mask = BACKENDS[backend], Mask(is_causal=True)
        self._inputs = [
            torch.randn(shape, generator=generator).to(dtype).requires_grad_() for _ in range(3)
        ]
        self._grad = torch.randn(shape, generator=generator).to(dtype)
        self._out: Tensor | None = None

    def forward(self) -> Tensor:
        """Compute attention."""
        query, key, value = self._inputs
        self._out = self._attend(query, key, value, self._mask, None, 0.0)
        return self._out

    def backward(self, _: object = None) -> list[Tensor]:
        """Return the gradients of query, key and value, and release the result."""
        out, self._out = self._out, None
        assert out is not None, "there was no forward"
        return list(torch.autograd.grad(out, self._inputs, self._grad))


def measure(plan: Plan) -> list[Result]:
    """Measure all backends, interleaved, for each dtype and length."""
    results = []
    for dtype in DTYPES:
        for seq_len in plan.seq_lens:
            say(f"{_name(dtype)}, {seq_len} places")
            cases = [Case(plan, name, dtype, seq_len) for name in NAMES]
            followed = [follow_step(case.forward, case.backward) for case in cases]
            turns: list[Callable[[], object]] = []
            for case in cases:
                turns += [case.forward, case.backward]
            times = processor_ms(turns, plan.num_rounds)
            for place, (name, alive) in enumerate(zip(NAMES, followed, strict=True)):
                forward, backward = times[2 * place], times[2 * place + 1]
                results.append(
                    Result(
                        backend=name,
                        dtype=_name(dtype),
                        seq_len=seq_len,
                        held_bytes=alive.held_bytes,
                        peak_bytes=alive.peak_bytes,
                        forward_ms=statistics.median(forward),
                        forward_spread_ms=spread_of(forward),
                        backward_ms=statistics.median(backward),
                        backward_spread_ms=spread_of(backward),
                    )
                )
    return results


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def table(results: Sequence[Result]) -> str:
    """Format the results as a text table."""
    lines = [
        f"{'dtype':9} {'places':>6}  {'backend':7} {'MiB held':>9} {'MiB peak':>9} "
        f"{'ms forward':>10} {'spread':>7} {'backward':>9} {'spread':>7}"
    ]
    for each in results:
        lines.append(
            f"{each.dtype:9} {each.seq_len:6}  {each.backend:7} {each.held_bytes / 2**20:9.2f} "
            f"{each.peak_bytes / 2**20:9.2f} {each.forward_ms:10.2f} {each.forward_spread_ms:7.2f} "
            f"{each.backward_ms:9.2f} {each.backward_spread_ms:7.2f}"
        )
    return "\n".join([*lines, LEFT_OUT])


def study(is_short: bool) -> Study:
    """Run the measurements, short or long."""
    plan = SHORT if is_short else LONG
    results = measure(plan)
    found = {"plan": asdict(plan), "results": [asdict(each) for each in results]}
    return found, table(results)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study from the command line."""
    return run(arguments, "Measure attention by each backend, over the length.", study)


if __name__ == "__main__":
    sys.exit(main())
