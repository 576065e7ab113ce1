"""Keep the sum of each window as an exact fraction: what leaves it leaves no trace."""

import collections
import fractions
import json
import math
import sys
import time
from contextlib import ExitStack, contextmanager

import torch


def gpu_usage():
    if torch.cuda.device_count() == 0:
        return None
    try:
        sizes = (
            torch.cuda.memory_allocated(),
            torch.cuda.memory_reserved(),
            torch.cuda.max_memory_allocated(),
        )
    except Exception:  # noqa: BLE001
        return None
    names = ("allocated_mib", "reserved_mib", "peak_mib")
    return {name: size / 2**20 for name, size in zip(names, sizes, strict=True)}


class Window:
    def __init__(self, size):
        self.entries = collections.deque()
        self.size = size
        self.total = fractions.Fraction(0)
        self.weight = 0

    def add(self, n, value):
        term = n * fractions.Fraction(value) if math.isfinite(value) else None
        self.entries.append((n, term))
        if term is not None:
            self.total += term
            self.weight += n
        if len(self.entries) > self.size:
            n, term = self.entries.popleft()
            if term is not None:
                self.total -= term
                self.weight -= n

    def mean(self):
        return float(self.total / self.weight) if self.weight else None


class MiniLogger:
    def __init__(self, stream=None, *, every=1, window=20, clock=time.perf_counter, gpu=gpu_usage):
        if min(every, window) < 1:
            raise ValueError("every and window begin at 1")
        self._stream, self._every, self._clock, self._gpu = stream, every, clock, gpu
        self._windows = collections.defaultdict(lambda: Window(window))
        self._pending = []
        self._spent = collections.Counter()
        self._begin = self._last = clock()
        self._open = True

    def log(self, step, n=1, **metrics):
        if not self._open:
            raise RuntimeError("closed")
        if n < 0:
            raise ValueError("negative n")
        self._pending.append((step, n, {key: _copy(item) for key, item in metrics.items()}))
        return self._emit() if len(self._pending) % self._every == 0 else None

    def _emit(self):
        now = self._clock()
        calls, taken = len(self._pending), {}
        for _, n, metrics in self._pending:
            for key, item in metrics.items():
                value = float(item)
                taken.setdefault(key, []).append(value)
                self._windows[key].add(n, value)
        samples = sum(n for _, n, _ in self._pending)
        interval = now - self._last
        record = {"step": self._pending[-1][0], "elapsed_s": now - self._begin}
        record["step_ms"] = interval * 1000 / calls
        record["samples_per_s"] = None if interval <= 0 else samples / interval
        record["metrics"] = {
            key: {
                "last": values[-1] if math.isfinite(values[-1]) else None,
                "mean": self._windows[key].mean(),
                "nonfinite": len([v for v in values if not math.isfinite(v)]),
            }
            for key, values in taken.items()
        }
        record["timers_ms"] = {key: 1000 * time / calls for key, time in self._spent.items()}
        record["gpu"] = None
        with ExitStack() as stack:
            stack.push(lambda kind, error, trace: kind is not None and issubclass(kind, Exception))
            record["gpu"] = self._gpu()
        out = self._stream or sys.stdout
        out.write(json.dumps(record) + "\n")
        out.flush()
        self._pending, self._spent, self._last = [], collections.Counter(), now
        return record

    @contextmanager
    def timer(self, name):
        start = self._clock()
        try:
            yield self
        finally:
            self._spent[name] += self._clock() - start

    def close(self):
        record = self._emit() if self._open and self._pending else None
        self._open = False
        return record

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.close()
        return None


def _copy(item):
    if not isinstance(item, torch.Tensor):
        if isinstance(item, (int, float)):
            return item
        raise TypeError(f"{item!r} is no metric")
    if item.nelement() != 1:
        raise ValueError(f"{tuple(item.shape)} is no shape of a metric")
    return torch.clone(item.detach())
