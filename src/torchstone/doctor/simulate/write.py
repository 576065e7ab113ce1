"""Write a simulated run in the formats of the PyTorch profiler."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torchstone.doctor.simulate.actions import Copy, Exchange
from torchstone.doctor.simulate.machine import MAIN, Item, Recording, Span
from torchstone.doctor.simulate.truth import window_of

PID = 4242
# Microseconds since boot, as in newer files.
_BASE_US = 4_458_676_000_000
_NEW = {
    "operator": "cpu_op",
    "step": "user_annotation",
    "loader": "user_annotation",
    "annotation": "user_annotation",
    "call": "cuda_runtime",
    "frame": "python_function",
    "gc": "python_gc",
}
_OLD = {
    "operator": "Operator",
    "step": "Operator",
    "loader": "Operator",
    "annotation": "Operator",
    "call": "Runtime",
}
_HIP_CALLS = {"cudaLaunchKernelExC": "hipExtModuleLaunchKernel"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """Format of a file.

    Attributes:
        schema: ``new``, or ``old`` as written by torch 1.8.
        vendor: ``cuda`` or ``hip``.
        times: ``float``, ``int`` (if all times are whole microseconds) or ``string``.
        frames: Whether Python frames are written; the old schema has none.
        shapes: Whether operator inputs are written.
        device: Device name.
        capability: Compute capability.
    """

    schema: str = "new"
    vendor: str = "cuda"
    times: str = "float"
    frames: bool = True
    shapes: bool = True
    device: str = "NVIDIA A100-SXM4-80GB"
    capability: tuple[int, int] = (8, 0)

    @property
    def hidden(self) -> tuple[str, ...]:
        """Return the labels of the ledger that a file of this format does not contain."""
        if self.schema == "old":
            return "gc", "io"
        return () if self.frames else ("io",)


def write_trace(
    recording: Recording, path: Path, form: Form | None = None, *, num_bytes: int = 0
) -> None:
    """Write a run to a file, compressed if its name ends in ``.gz``.

    Args:
        recording: The run of one rank.
        path: Output file.
        form: Format.
        num_bytes: Repeat the run with a time offset until the text has about this size.
    """
    writer = _Writer(recording, form or Form())
    opened = gzip.open(path, "wb", compresslevel=1) if path.suffix == ".gz" else path.open("wb")
    with opened as file:
        file.write(writer.head())
        written, repetition = 0, 0
        while not repetition or written < num_bytes:
            text = ",\n".join(writer.events(repetition))
            written += file.write(((",\n" if repetition else "") + text).encode())
            repetition += 1
        file.write(b"\n  ]\n}\n")


class _Writer:
    def __init__(self, recording: Recording, form: Form) -> None:
        self._recording = recording
        self._form = form
        begin, end = window_of(recording)
        # Repetitions of the window follow each other without an additional gap.
        self._period = end - begin
        self._num_ids = 1 + max(
            [span.args.get(key, 0) for span in recording.spans for key in _IDS], default=0
        )
        self._categories = _OLD if form.schema == "old" else _NEW
        self._spans = sorted(recording.spans, key=lambda span: (span.begin, -span.end))

    def head(self) -> bytes:
        """Return the fields before the events."""
        major, minor = self._form.capability
        card = {
            "id": 0,
            "name": self._form.device,
            "totalGlobalMem": 85_899_345_920,
            "computeMajor": major,
            "computeMinor": minor,
        }
        told: dict[str, Any] = {"schemaVersion": 1, "deviceProperties": [card]}
        if self._recording.num_ranks > 1:
            told["distributedInfo"] = {
                "backend": "nccl",
                "rank": self._recording.rank,
                "world_size": self._recording.num_ranks,
            }
        return (json.dumps(told, indent=2)[:-2] + ',\n  "traceEvents": [\n').encode()

    def events(self, repetition: int) -> Iterator[str]:
        """Yield the texts of all events of a repetition."""
        shift, ids = repetition * self._period, repetition * self._num_ids
        for span in self._spans:
            if span.role == "frame" and not (self._form.frames and self._form.schema == "new"):
                continue
            if span.role in self._categories:
                yield self._span(span, shift, ids, repetition)
        for item in self._recording.items:
            yield self._item(item, shift, ids)
        for moment, device, changed, in_use in self._recording.memory:
            kind = f'"Bytes": {changed}, "Device Id": {device}, "Device Type": 1'
            if self._form.schema == "new":
                kind = f'"Total Reserved": {in_use * 2}, "Total Allocated": {in_use}, {kind}'
            yield (
                f'  {{\n    "ph": "i", "s": "t", "name": "[memory]", "pid": {PID}, "tid": {MAIN},\n'
                f'    "ts": {self._time(moment + shift, _BASE_US)},\n    "args": {{{kind}}}\n  }}'
            )

    def _span(self, span: Span, shift: int, ids: int, repetition: int) -> str:
        name, args = span.name, self._args(span, ids)
        if span.role == "step":
            number = int(name.rpartition("#")[2]) + repetition * len(self._recording.steps)
            name = f"ProfilerStep#{number}"
        elif span.role == "call" and self._form.vendor == "hip":
            name = _HIP_CALLS.get(name, name.replace("cuda", "hip", 1))
        lane = f'"{span.lane}"' if self._form.schema == "old" else str(span.lane)
        begin, duration = span.begin + shift, span.end - span.begin
        return self._text(self._categories[span.role], name, (PID, lane), (begin, duration), args)

    def _args(self, span: Span, ids: int) -> str:
        given, is_old = span.args, self._form.schema == "old"
        if span.role == "frame":
            parent = given["parent"] + ids if given["parent"] else 0
            return f'"Python parent id": {parent}, "Python id": {given["python"] + ids}'
        external = f'"External id": {given.get("external", 0) + ids}'
        if span.role == "call":
            external = external.replace("E", "e") if is_old else external
            return f'{external}, "cbid": 211, "correlation": {given["correlation"] + ids}'
        if "sequence" in given:
            external += f', "Sequence number": {given["sequence"] + ids}'
        if span.role == "operator" and self._form.shapes:
            external += _shapes(given["dims"], given["dtype"])
        return external

    def _item(self, item: Item, shift: int, ids: int) -> str:
        is_old = self._form.schema == "old"
        stream = item.work.stream
        args = (
            f'"{"external id" if is_old else "External id"}": {item.external + ids}, "device": 0, '
            f'"context": 1, "stream": {stream}, "correlation": {item.correlation + ids}'
        )
        category, name = ("Kernel" if is_old else "kernel"), "kernel"
        if isinstance(item.work, Copy):
            category, name = ("Memcpy" if is_old else "gpu_memcpy"), self._copy_name(item.work)
            args += f', "bytes": {item.work.size}'
        else:
            name = getattr(item.work, "name", name)
            args += ', "grid": [108, 1, 1], "block": [128, 1, 1]'
            if isinstance(item.work, Exchange):
                args += f', "In msg nelems": {item.work.size // 4}, "dtype": "Float"'
        lane = f'"stream {stream}"' if is_old else str(stream)
        return self._text(
            category, name, (0, lane), (item.begin + shift, item.end - item.begin), args
        )

    def _copy_name(self, copy: Copy) -> str:
        host = "Pinned" if copy.pinned else "Pageable"
        if self._form.vendor == "hip":
            # roctracer does not record the kind of host memory.
            host = "Host"
        ends = {
            "HtoD": f"{host} -> Device",
            "DtoH": f"Device -> {host}",
            "DtoD": "Device -> Device",
        }
        return f"Memcpy {copy.way} ({ends[copy.way]})"

    def _text(
        self, category: str, name: str, lane: tuple[int, str], time: tuple[int, int], args: str
    ) -> str:
        pid, tid = lane
        return (
            f'  {{\n    "ph": "X", "cat": "{category}", "name": "{name}", '
            f'"pid": {pid}, "tid": {tid},\n'
            f'    "ts": {self._time(time[0], _BASE_US)}, "dur": {self._time(time[1], 0)},\n'
            f'    "args": {{\n      {args}\n    }}\n  }}'
        )

    def _time(self, ns: int, base_us: int) -> str:
        whole, rest = divmod(ns, 1000)
        if self._form.times == "int":
            if rest:
                raise ValueError("simulate: times are no whole µs; run with quantum_ns=1000.")
            return str(whole + base_us)
        text = f"{whole + base_us}.{rest:03d}"
        return f'"{text}"' if self._form.times == "string" else text


_IDS = ("correlation", "external", "python", "sequence")


def _shapes(dims: tuple[tuple[int, ...], ...], dtype: str) -> str:
    strides = [[math.prod(shape[at + 1 :]) for at in range(len(shape))] for shape in dims]
    return (
        f', "Concrete Inputs": {json.dumps([""] * len(dims))}, '
        f'"Input type": {json.dumps([dtype] * len(dims))}, '
        f'"Input Strides": {json.dumps(strides)}, '
        f'"Input Dims": {json.dumps([list(shape) for shape in dims])}'
    )
