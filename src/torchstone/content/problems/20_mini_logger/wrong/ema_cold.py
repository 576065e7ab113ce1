# verdict: WA value
# group: small
# en: A moving average that starts at zero is biased at first, and weights the calls differently.
# zh: 从 0 起步的滑动平均开头有偏，各次的权重也不对。
import json
import math
import sys
import time
from collections import deque
from contextlib import contextmanager

import torch
from torch import Tensor

MIB = 2**20


def gpu_usage() -> dict | None:
    if not torch.cuda.is_available():
        return None
    try:
        return {
            "allocated_mib": torch.cuda.memory_allocated() / MIB,
            "reserved_mib": torch.cuda.memory_reserved() / MIB,
            "peak_mib": torch.cuda.max_memory_allocated() / MIB,
        }
    except RuntimeError:
        return None


class MiniLogger:
    def __init__(
        self, stream=None, *, every=1, window=20, clock=time.perf_counter, gpu=gpu_usage
    ) -> None:
        if every < 1 or window < 1:
            raise ValueError(f"MiniLogger: every {every} and window {window} must be at least 1")
        self.stream, self.every, self.window = stream, every, window
        self.clock, self.gpu = clock, gpu
        self.begin = self.mark = clock()
        self.is_closed = False
        self.step = self.calls = self.samples = 0  # since the last record
        self.fresh: dict[str, list[tuple[int, float | Tensor]]] = {}
        self.windows: dict[str, deque] = {}
        self.timers: dict[str, float] = {}
        self.averages: dict[str, float] = {}

    def __enter__(self) -> "MiniLogger":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def log(self, step: int, n: int = 1, **metrics) -> dict | None:
        if self.is_closed:
            raise RuntimeError("MiniLogger: log after close")
        if n < 0:
            raise ValueError(f"MiniLogger: n must not be negative, got {n}")
        taken = {name: snapshot(name, value) for name, value in metrics.items()}
        for name, value in taken.items():
            self.fresh.setdefault(name, []).append((n, value))
        self.step = step
        self.calls += 1
        self.samples += n
        return self.write() if self.calls == self.every else None

    @contextmanager
    def timer(self, name: str):
        begin = self.clock()
        try:
            yield
        finally:
            self.timers[name] = self.timers.get(name, 0.0) + self.clock() - begin

    def close(self) -> dict | None:
        if self.is_closed:
            return None
        record = self.write() if self.calls else None
        self.is_closed = True
        return record

    def write(self) -> dict:
        now = self.clock()
        since = now - self.mark
        record = {
            "step": self.step,
            "elapsed_s": now - self.begin,
            "step_ms": 1e3 * since / self.calls,
            "samples_per_s": self.samples / since if since > 0 else None,
            "metrics": {name: self.summarise(name, new) for name, new in self.fresh.items()},
            "timers_ms": {name: 1e3 * s / self.calls for name, s in self.timers.items()},
            "gpu": self.ask_gpu(),
        }
        stream = sys.stdout if self.stream is None else self.stream
        stream.write(json.dumps(record, allow_nan=False) + "\n")
        stream.flush()
        self.mark, self.calls, self.samples = now, 0, 0
        self.fresh, self.timers = {}, {}
        return record

    def summarise(self, name: str, new: list) -> dict:
        values = read(new)
        window = self.windows.setdefault(name, deque(maxlen=self.window))
        window.extend((n, value) for (n, _), value in zip(new, values, strict=True))
        for value in filter(math.isfinite, values):
            self.averages[name] = 0.9 * self.averages.get(name, 0.0) + 0.1 * value
        finite = [(n, value) for n, value in window if math.isfinite(value)]
        weight = sum(n for n, _ in finite)
        return {
            "last": values[-1] if math.isfinite(values[-1]) else None,
            "mean": self.averages.get(name) if weight else None,
            "nonfinite": sum(not math.isfinite(value) for value in values),
        }

    def ask_gpu(self) -> dict | None:
        try:
            return self.gpu()
        except Exception:  # noqa: BLE001
            return None


def snapshot(name: str, value) -> float | Tensor:
    if isinstance(value, Tensor):
        if value.numel() != 1:
            raise ValueError(f"MiniLogger: {name!r} has {value.numel()} elements, not one")
        # A copy without the graph; no number of it is asked for.
        return value.detach().clone().reshape(())
    if isinstance(value, (bool, int, float)):
        return float(value)
    raise TypeError(f"MiniLogger: {name!r} is a {type(value).__name__}, not a number or tensor")


def read(new: list) -> list[float]:
    """Return the values as floats; all tensors come over in one transfer."""
    tensors = [value.double() for _, value in new if isinstance(value, Tensor)]
    numbers = iter(torch.stack(tensors).tolist() if tensors else [])
    return [next(numbers) if isinstance(value, Tensor) else value for _, value in new]
