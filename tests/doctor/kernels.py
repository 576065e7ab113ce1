"""Cases made by hand for rules about kernels: operators on a card that never waits."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torchstone.doctor.case import Case, make_case
from torchstone.doctor.events import Shapes
from torchstone.doctor.read.run import read_run
from torchstone.doctor.roofline.peaks import Peaks
from torchstone.doctor.source import Device

H100 = {
    "name": "NVIDIA H100 80GB HBM3",
    "computeMajor": 9,
    "computeMinor": 0,
    "totalGlobalMem": 85_000_000_000,
}
# Of H100: bytes, and operations in bfloat16, in a microsecond.
BYTES_US, FLOPS_US = 3.35e6, 989e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Op:
    """An operator with tensors and other inputs, and how long its kernel takes."""

    name: str
    dims: list[Any]
    us: float
    dtype: str = "float"
    types: list[str] | None = None
    values: list[str] | None = None
    kernel: str = "some_kernel"
    within: str = ""

    @property
    def args(self) -> dict[str, Any]:
        types = self.types or [self.dtype] * len(self.dims)
        return {
            "Input Dims": self.dims,
            "Input type": types,
            "Concrete Inputs": self.values or [""] * len(self.dims),
        }


def shapes(
    dims: list[Any],
    dtype: str | list[str] = "float",
    values: list[str] | None = None,
    strides: list[Any] | None = None,
) -> Shapes:
    """Shapes as a trace has them."""
    types = [dtype] * len(dims) if isinstance(dtype, str) else dtype
    texts = [json.dumps(each).encode() for each in (dims, types)]
    return Shapes(
        dims=texts[0],
        types=texts[1],
        strides=b"" if strides is None else json.dumps(strides).encode(),
        values=b"" if values is None else json.dumps(values).encode(),
    )


def case_of(
    ops: list[Op],
    *,
    steps: int = 4,
    card: dict[str, Any] | None = None,
    idle_us: float = 0.0,
    has_device: bool = True,
    peaks: Peaks | None = None,
) -> Case:
    """Make the case of steps that launch some operators, each with one kernel."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        path.write_text(json.dumps(trace_of(ops, steps, card, idle_us, has_device=has_device)))
        of_rank = read_run([path]).ranks[0]
    made = make_case(of_rank.events, of_rank.device, peaks=peaks)
    assert made is not None
    return made


def trace_of(
    ops: list[Op],
    steps: int = 4,
    card: dict[str, Any] | None = None,
    idle_us: float = 0.0,
    *,
    has_device: bool = True,
) -> dict[str, Any]:
    """Make the trace: all launches are far ahead, so that only ``idle_us`` a step is idle."""
    work = sum(op.us for op in ops) + idle_us
    long = max(work, 4.0 * len(ops))
    events: list[dict[str, Any]] = []
    number = 0
    for step in range(steps):
        begin, at = step * long, 0.0
        events.append(_span(f"ProfilerStep#{step}", "user_annotation", begin, begin + long))
        busy = begin + 2
        for op in ops:
            number += 1
            host = begin + at
            took = 3.0 if has_device else op.us
            if op.within:
                events.append(_span(op.within, "cpu_op", host, host + took))
            # It begins later than what calls it.
            own = host + 0.01 if op.within else host
            events.append(_span(op.name, "cpu_op", own, host + took, **op.args))
            at += took
            if has_device:
                pair = {"correlation": number}
                events.append(_span("cudaLaunchKernel", "cuda_runtime", host + 1, host + 2, **pair))
                events.append(
                    _span(op.kernel, "kernel", busy, busy + op.us, stream=7, device=0, **pair)
                )
                busy += op.us
    return {"deviceProperties": [card or H100] if has_device else [], "traceEvents": events}


def _span(name: str, cat: str, begin: float, end: float, **args: Any) -> dict[str, Any]:
    lane = {"pid": 0, "tid": 7} if cat == "kernel" else {"pid": 1, "tid": 1}
    timed = {"ts": 1000.0 + begin, "dur": end - begin}
    return {"ph": "X", "name": name, "cat": cat, "args": args} | lane | timed


def product(size: int, efficiency: float, *, times: int = 1, kernel: str = "nvjet_tst") -> Op:
    """A square product in bfloat16 that reaches some of the roof."""
    us = max(2 * size**3 / FLOPS_US, 3 * 2 * size**2 / BYTES_US) / efficiency
    dims = [[size, size], [size, size]]
    return Op(name="aten::mm", dims=dims, us=us * times, dtype="c10::BFloat16", kernel=kernel)


def addition(size: int, efficiency: float, name: str = "aten::add") -> Op:
    """A sum of tensors in float32 that reaches some of the bandwidth."""
    return Op(
        name=name,
        dims=[[size], [size], []],
        us=12 * size / BYTES_US / efficiency,
        types=["float", "float", "Scalar"],
        values=["", "", "1"],
    )


def card(name: str, memory: float = 0.0) -> Device:
    """A card of a name."""
    return Device(name=name, memory=int(memory * 1e9))
