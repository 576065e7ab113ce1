"""Small exports of Nsight Systems, row by row, and a small run as a trace of the profiler."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

Row = dict[str, Any]
MACHINE = 1 << 48
MS = 1_000_000


def process(pid: int) -> int:
    """The global number of a process."""
    return MACHINE | pid << 24


def thread(pid: int, tid: int) -> int:
    return process(pid) | tid


def write(path: Path, tables: dict[str, list[Row]], *statements: str) -> Path:
    """Write tables without types, so that any value is kept as it is."""
    file = sqlite3.connect(path)
    for table, rows in tables.items():
        names = list(rows[0])
        file.execute(f'CREATE TABLE "{table}" ({", ".join(names)})')
        marks = ", ".join("?" * len(names))
        file.executemany(
            f'INSERT INTO "{table}" VALUES ({marks})', [list(r.values()) for r in rows]
        )
    for statement in statements:
        file.execute(statement)
    file.commit()
    file.close()
    return path


def kernel(begin: int, end: int, correlation: int, *, pid: int = 10, device: int = 0) -> Row:
    return {
        **{"start": begin, "end": end, "deviceId": device, "streamId": 7},
        **{"correlationId": correlation, "globalPid": process(pid)},
        **{"demangledName": 1, "shortName": 1},
    }


def call(begin: int, end: int, correlation: int, *, pid: int = 10, name: int = 2) -> Row:
    return {
        **{"start": begin, "end": end, "globalTid": thread(pid, pid)},
        **{"correlationId": correlation, "nameId": name},
    }


def nvtx(begin: Any, end: Any, text: str | None, *, pid: int = 10, **others: Any) -> Row:
    usual = {"start": begin, "end": end, "eventType": 59, "text": text}
    usual |= {"globalTid": thread(pid, pid), "endGlobalTid": None, "textId": None}
    return usual | others


def strings(*texts: str) -> list[Row]:
    """Number 1 is a kernel and 2 a launch; others follow."""
    listed = ("gemm", "cudaLaunchKernel_v7000", *texts)
    return [{"id": number, "value": text} for number, text in enumerate(listed, start=1)]


def run_of(num: int = 5, *, pid: int = 10, device: int = 0) -> dict[str, list[Row]]:
    """Steps of 10 ms, each with a launch at once and a kernel of 8 ms."""
    begins = [1000 * MS + step * 10 * MS for step in range(num)]
    return {
        "StringIds": strings(),
        "CUPTI_ACTIVITY_KIND_KERNEL": [
            kernel(t + 1 * MS, t + 9 * MS, n + 1, pid=pid, device=device)
            for n, t in enumerate(begins)
        ],
        "CUPTI_ACTIVITY_KIND_RUNTIME": [
            call(t + MS // 2, t + MS, n + 1, pid=pid) for n, t in enumerate(begins)
        ],
        "NVTX_EVENTS": [nvtx(t, t + 10 * MS, f"step {n}", pid=pid) for n, t in enumerate(begins)],
    }


# ---- a run of the profiler


def span(name: str, cat: str, begin: float, end: float, **args: Any) -> Row:
    """An event of the host; with ``stream`` among its arguments, of the device."""
    lane = {"pid": 0, "tid": args["stream"]} if "stream" in args else {"pid": 321, "tid": 321}
    device = {"device": 0} if "stream" in args else {}
    timed = {"ts": begin, "dur": end - begin}
    return {"ph": "X", "name": name, "cat": cat, "args": args | device} | lane | timed


# What a step does: microseconds of loading, operators, microseconds of each kernel, and more.
RUNS: dict[str, Row] = {
    "loader": {"load": 6000, "ops": 10, "kernel": 300},
    "launch": {"load": 50, "ops": 100, "kernel": 4},
    "products": {"load": 50, "ops": 10, "kernel": 900, "name": "ampere_sgemm_128x64"},
    "pageable": {"load": 50, "ops": 10, "kernel": 300, "copy": 3000},
    "waiting": {"load": 50, "ops": 60, "kernel": 40, "sync": True},
    "exchange": {"load": 50, "ops": 10, "kernel": 300, "exchange": 2500},
    "allocation": {"load": 50, "ops": 10, "kernel": 300, "alloc": 400},
}


class Recorder:
    """The events of a run, as its threads and streams make them."""

    def __init__(self) -> None:
        self.events: list[Row] = []
        self.now = 5000.0
        self.free = 0.0
        self.number = 0

    def launch(self, name: str, cat: str, us: float, call: str, **args: Any) -> None:
        self.number += 1
        begin = self.now
        self.now += 6
        self.events.append(span(call, "cuda_runtime", begin, self.now, correlation=self.number))
        start = max(self.free, self.now + 2)
        self.free = start + us
        pair = {"correlation": self.number, "stream": 7, **args}
        self.events.append(span(name, cat, start, self.free, **pair))

    def operator(self, name: str, us: float, kernel: str = "gemm_bf16") -> None:
        begin = self.now
        self.now += 12
        self.launch(kernel, "kernel", us, "cudaLaunchKernel")
        self.now += 4
        shapes = {"Input Dims": [[8, 16], [16, 4]], "Sequence number": self.number}
        self.events.append(span(name, "cpu_op", begin, self.now, **shapes))
        self.now += 3

    def wait(self, name: str) -> None:
        begin = self.now
        self.now = max(self.free, self.now) + 5
        self.events.append(span(name, "cuda_runtime", begin, self.now))

    def step(self, number: int, does: Row) -> None:
        begin = self.now
        self.now += does["load"]
        loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
        self.events.append(span(loader, "user_annotation", begin, self.now))
        if "copy" in does:
            name = "Memcpy HtoD (Pageable -> Device)"
            self.launch(name, "gpu_memcpy", does["copy"], "cudaMemcpyAsync", bytes=12_000_000)
            self.wait("cudaStreamSynchronize")
        if "alloc" in does:
            self.wait("cudaStreamSynchronize")
            self.events.append(
                span("cudaMalloc", "cuda_runtime", self.now, self.now + does["alloc"])
            )
            self.now += does["alloc"]
        for at in range(does["ops"]):
            self.operator("aten::mm", does["kernel"], does.get("name", "gemm_bf16"))
            if does.get("sync") and at % 6 == 5:
                self.launch("Memcpy DtoH (Device -> Pageable)", "gpu_memcpy", 2, "cudaMemcpyAsync")
                self.wait("cudaStreamSynchronize")
        self.launch("Memset (Device)", "gpu_memset", 2, "cudaMemsetAsync", bytes=64)
        if "exchange" in does:
            kernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
            self.operator("c10d::allreduce_", does["exchange"], kernel)
        update = self.now
        self.operator("aten::_foreach_add_", does["kernel"])
        self.events.append(span("Optimizer.step#SGD.step", "user_annotation", update, self.now))
        self.wait("cudaDeviceSynchronize")
        self.events.append(span(f"ProfilerStep#{number}", "user_annotation", begin, self.now))


def profiled(path: Path, name: str, *, num_steps: int = 5) -> Path:
    """Write one of ``RUNS`` as a trace of the profiler."""
    recorder = Recorder()
    for number in range(num_steps):
        recorder.step(number, RUNS[name])
    card = {"name": "Card", "computeMajor": 8, "computeMinor": 6, "totalGlobalMem": 12 << 30}
    told = {"schemaVersion": 1, "deviceProperties": [card], "traceEvents": recorder.events}
    path.write_text(json.dumps(told))
    return path
