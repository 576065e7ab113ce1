"""Runs made by hand, a few events long, as the reader would give them."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from torchstone.doctor.case import Case, make_case
from torchstone.doctor.read.chrome import Event, Reading
from torchstone.doctor.read.columns import Columns
from torchstone.doctor.source import Device

MAIN, OTHER, STREAM = 1, 2, 7
STEP_US = 10_000.0


class Made:
    """A run of one rank: events are added, and the doctor's case of them is asked for.

    Args:
        num_steps: Steps of 10 ms that follow each other from 0 on.
    """

    def __init__(self, num_steps: int = 4) -> None:
        self._events: list[dict[str, Any]] = []
        self._correlation = self._frame = 0
        self.num_steps = num_steps
        for step in range(num_steps):
            begin = step * STEP_US
            self.span(f"ProfilerStep#{step}", "user_annotation", begin, begin + STEP_US)

    def span(
        self, name: str, cat: str, begin: float, end: float, *, tid: int = MAIN, **args: Any
    ) -> Made:
        """Add an event of the host."""
        where = {"pid": 0 if cat in ("kernel", "gpu_memcpy") else 1, "tid": tid}
        timed = {"ph": "X", "ts": 1000.0 + begin, "dur": end - begin}
        self._events.append({"name": name, "cat": cat, "args": args} | where | timed)
        return self

    def operator(self, name: str, begin: float, end: float, **args: Any) -> Made:
        """Add an operator."""
        return self.span(name, "cpu_op", begin, end, **args)

    def frame(self, name: str, begin: float, end: float, *, parent: int = -1, **args: Any) -> int:
        """Add a Python frame, and return its number."""
        self._frame += 1
        numbers = {"Python id": self._frame, "Python parent id": parent}
        self.span(name, "python_function", begin, end, **numbers, **args)
        return self._frame

    def kernel(self, name: str, launched: float, begin: float, end: float, **args: Any) -> Made:
        """Add a kernel, and the call of 5 µs that launches it."""
        self._correlation += 1
        pair = {"correlation": self._correlation}
        returned = args.pop("returned", launched + 5)
        self.span("cudaLaunchKernel", "cuda_runtime", launched, returned, **pair)
        return self.span(name, "kernel", begin, end, tid=STREAM, **pair, **args)

    def copy(self, name: str, launched: float, begin: float, end: float, *, size: int) -> Made:
        """Add a copy, such as ``HtoD (Pinned -> Device)``, and the call of 5 µs that queues it."""
        self._correlation += 1
        pair = {"correlation": self._correlation}
        self.span("cudaMemcpyAsync", "cuda_runtime", launched, launched + 5, **pair)
        args = pair | {"bytes": size}
        return self.span(f"Memcpy {name}", "gpu_memcpy", begin, end, tid=STREAM + 1, **args)

    def exchange(
        self, begin: float, end: float, *, launched: float | None = None, numbers: int = 1000
    ) -> Made:
        """Add an all-reduce of so many float32, and the operator of 10 µs that asks for it."""
        at = begin - 10 if launched is None else launched
        shape = {"Input Dims": [[numbers]], "Input type": ["float"]}
        self.operator("record_param_comms", at, at + 10, **shape)
        self._correlation += 1
        pair = {"correlation": self._correlation}
        self.span("cudaLaunchKernel", "cuda_runtime", at + 2, at + 8, **pair)
        name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
        return self.span(name, "kernel", begin, end, tid=STREAM + 2, **pair)

    def computes(self, wait: float = 0.0, until: float = STEP_US) -> Made:
        """Let the device compute in each step, after a wait for the call that launches it."""
        for begin in self.each_step():
            ready = begin + wait
            self.kernel("gemm", ready - 5, ready, begin + until, returned=ready)
        return self

    def memory(self, at: float, changed: int, allocated: int, reserved: int = 0) -> Made:
        """Add what the allocator tells."""
        told = {"Bytes": changed, "Total Allocated": allocated, "Total Reserved": reserved}
        event = {"ph": "i", "name": "[memory]", "ts": 1000.0 + at, "pid": 1, "tid": MAIN}
        self._events.append(event | {"cat": "cpu_instant_event", "args": told})
        return self

    def each_step(self) -> list[float]:
        """Return the begins of the steps."""
        return [step * STEP_US for step in range(self.num_steps)]

    def case(self, *, device: Device | None = None, **args: Any) -> Case:
        """Return the case."""
        columns = Columns(Reading())
        columns.add(msgspec.json.decode(json.dumps(self._events), type=list[Event], strict=False))
        made = make_case(columns.events(), device or Device(), **args)
        assert made is not None
        return made
