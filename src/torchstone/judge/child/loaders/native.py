"""Loader and launcher of native modules.

It runs inside the sandbox. The module shares this process and can falsify what it reports, so only
its values for unpredictable inputs count, in several thread orders; the detectors only add
verdicts.

A request has ``operation``; ``values``, numbers and tensors by name; ``offsets``, in bytes, of
tensors and outputs; ``outputs``, name -> dtype and shape; ``orders``, the names of orders in which
threads and blocks start; and ``seed``, of the random order. Keys of the answer begin with the
order: ``ascending:out``.

With ``again``, other values of the tensors by name, there is one more launch in the first order, on
the device memory of the previous launch: each tensor keeps its address. Keys of its answers begin
with ``again:``, as in ``again:ascending:out``.
"""

from __future__ import annotations

import ctypes
import os
import re
import resource
import secrets
import time
from collections.abc import Iterator
from typing import Any

import torch

from ..confinement.job_limits import SECONDS_FOR_HOST
from ..protocol.records import Answer, Arguments, LaunchData

ORDERS = ("ascending", "descending", "random")
# CPU seconds of one launch, and more for each MiB of tensors: every problem starts with small ones,
# so an endless loop is found soon. The slowest correct kernels of the bank use a twentieth of this
# for small tensors, and a fifth for the largest.
LAUNCH_SECONDS, SECONDS_PER_MIB = 3.0, 1.0
# A launch also leaves this part of the job's CPU time for the answer. Outside a job there is no CPU
# limit, and UNLIMITED_SECONDS applies.
ANSWER_SECONDS = 1.0
UNLIMITED_SECONDS = 20.0
ALL_BLOCKS, NO_BLOCKS = 1, 2
REPORT_CAP = 1 << 20
TIMEOUT = re.compile(r'"kind":\s*"timeout"')
LATE_KEYS = ("findings", "error")
BROKEN = {1: "input_changed", 2: "before_buffer"}
# Whether the device memory of a launch is freed, kept, or taken from the launch before; see
# ``build/launch.h``.
FREED, KEPT, USED_AGAIN = 0, 1, 2


class Value(ctypes.Structure):
    """Mirror of the C++ struct ``judge::Value``."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_char),
        ("integer", ctypes.c_int64),
        ("real", ctypes.c_double),
        ("data", ctypes.c_void_p),
        ("num_bytes", ctypes.c_uint64),
    )


class Runtime:
    """The simulator of one build, loaded before the first byte of a submission is read."""

    def __init__(self, path: str) -> None:
        library = self._library = ctypes.CDLL(path)
        library.cusim_findings.restype = ctypes.c_char_p
        library.cusim_counters.restype = ctypes.c_char_p
        library.cudaGetErrorName.restype = ctypes.c_char_p
        library.cusim_configure.argtypes = (
            ctypes.c_int, ctypes.c_uint64, ctypes.c_uint, ctypes.c_uint,
        )  # fmt: skip
        self._counts = bool(getattr(library, "cusim_counters", None))

    def begin(self, order: str, seed: int, *, counts: bool, num_bytes: int) -> None:
        """Set how later launches run, and clear errors, findings and counters.

        Args:
            order: Name of the order in which threads and blocks start.
            seed: Seed of the random order.
            counts: Whether memory requests are counted, in all blocks.
            num_bytes: Size of all tensors of the request; the time limit depends on it.
        """
        library = self._library
        library.cusim_forget_errors()
        library.cusim_clear_findings()
        library.cusim_clear_counters()
        library.cusim_count_blocks(ALL_BLOCKS if counts else NO_BLOCKS)
        seconds = min(LAUNCH_SECONDS + SECONDS_PER_MIB * num_bytes / (1 << 20), _seconds_left())
        library.cusim_configure(ORDERS.index(order), seed, 1, round(1000 * seconds))

    def end(self, *, counts: bool) -> Answer:
        """Return the findings and, if requested, the counters, as the simulator writes them."""
        found: Answer = {}
        findings = self._library.cusim_findings()[:REPORT_CAP].decode("utf-8", "replace")
        if findings != "[]":
            found["findings"] = findings
        if counts:
            found["counters"] = self._library.cusim_counters()[:REPORT_CAP].decode(
                "utf-8", "replace"
            )
        return found

    def name_error(self, error: int) -> str:
        """Return the CUDA name of an error code."""
        return str(self._library.cudaGetErrorName(error).decode("ascii", "replace"))


def _seconds_left() -> float:
    limit, _ = resource.getrlimit(resource.RLIMIT_CPU)
    if limit == resource.RLIM_INFINITY:
        return UNLIMITED_SECONDS
    left = limit - SECONDS_FOR_HOST - time.process_time()
    return max(left - ANSWER_SECONDS, ANSWER_SECONDS / 10)


class Module:
    """A submission, linked with the problem's launcher."""

    def __init__(self, data: bytes, folder: str, runtime: Runtime) -> None:
        path = os.path.join(folder, f"module-{secrets.token_hex(8)}.so")
        with open(path, "xb") as file:
            file.write(data)
        self.runtime = runtime
        self._launch = ctypes.CDLL(path).judge_launch
        self._launch.argtypes = (ctypes.c_char_p, ctypes.POINTER(Value), ctypes.c_int)
        self._launch.restype = None
        self._late: Answer = {}

    def answer(self, data: LaunchData) -> Answer:
        """Launch once in each requested order, and once more if other values are given.

        After a launch that exceeds its time limit nothing more is launched; its findings also
        answer the requests that are already queued.
        """
        found: Answer = {}
        for prefix, order, values, buffers in _launches_of(data):
            launched = self._late or self._launch_once(data, order, values, buffers)
            found |= {f"{prefix}{order}:{key}": item for key, item in launched.items()}
            if TIMEOUT.search(str(launched.get("findings", ""))):
                self._late = {key: launched[key] for key in LATE_KEYS if key in launched}
            if "findings" in launched or "error" in launched:
                break  # the other orders may take as long
        return found

    def _launch_once(self, data: LaunchData, order: str, given: Arguments, buffers: int) -> Answer:
        outputs = {
            name: torch.zeros(shape, dtype=dtype)
            for name, (dtype, shape) in data["outputs"].items()
        }
        values = _Values(data["offsets"])
        values.add("buffers", buffers)
        for name, item in given.items():
            values.add(name, item)
        for name, tensor in outputs.items():
            values.add_output(name, tensor)
        own = ("error", "broken", "elsewhere", "to_host")
        results = [values.add(name, 0) for name in (*own, *data["results"])]
        rows = values.as_array()
        num_bytes = sum(row.num_bytes for row in rows)
        self.runtime.begin(order, data["seed"], counts=data["counts"], num_bytes=num_bytes)
        self._launch(data["operation"].encode(), rows, len(rows))
        found = self.runtime.end(counts=data["counts"])
        error, broken, elsewhere, to_host, *returned = (rows[row].integer for row in results)
        if broken in BROKEN:
            found["broken"] = BROKEN[broken]
        if error:
            found["error"] = self.runtime.name_error(error)
        found |= {"elsewhere": elsewhere} if elsewhere else {}
        found |= {"to_host": to_host} if to_host else {}
        found |= dict(zip(data["results"], returned, strict=True))
        return found | outputs


def _launches_of(data: LaunchData) -> Iterator[tuple[str, str, Arguments, int]]:
    """Yield the key prefix, order, values and buffer mode of each launch."""
    *others, last = data["orders"]
    for order in others:
        yield "", order, data["values"], FREED
    if "again" not in data:
        yield "", last, data["values"], FREED
        return
    yield "", last, data["values"], KEPT
    yield "again:", data["orders"][0], data["values"] | data["again"], USED_AGAIN


class _Values:
    """Values under the names by which the launcher requests them."""

    def __init__(self, offsets: dict[str, int]) -> None:
        self._offsets = offsets
        self._rows: list[Value] = []
        self._held: list[torch.Tensor] = []

    def add(self, name: str, item: Any) -> int:
        """Add a number or a tensor; return its index."""
        if isinstance(item, torch.Tensor):
            return self._add_tensor(name, b"t", item.contiguous())
        if isinstance(item, float):
            return self._append(Value(name.encode(), b"r", 0, item, None, 0))
        return self._append(Value(name.encode(), b"i", int(item), 0.0, None, 0))

    def add_output(self, name: str, tensor: torch.Tensor) -> int:
        """Add a tensor to be filled; return its index."""
        return self._add_tensor(name, b"o", tensor)

    def as_array(self) -> Any:
        """Return the values as a C array for the launcher."""
        return (Value * len(self._rows))(*self._rows)

    def _add_tensor(self, name: str, kind: bytes, tensor: torch.Tensor) -> int:
        self._held.append(tensor)
        num_bytes = tensor.numel() * tensor.element_size()
        offset = self._offsets.get(name, 0)
        return self._append(Value(name.encode(), kind, offset, 0.0, tensor.data_ptr(), num_bytes))

    def _append(self, row: Value) -> int:
        self._rows.append(row)
        return len(self._rows) - 1
