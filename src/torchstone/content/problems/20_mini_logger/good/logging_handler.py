"""Let the standard library write the lines: a logger of its own with a StreamHandler."""

import json
import logging
import math
import sys
import time
from collections import defaultdict, deque
from contextlib import contextmanager

import torch


def gpu_usage():
    if not torch.cuda.is_available():
        return None
    names = {
        "allocated_mib": torch.cuda.memory_allocated,
        "reserved_mib": torch.cuda.memory_reserved,
        "peak_mib": torch.cuda.max_memory_allocated,
    }
    try:
        return {name: read() / 1024**2 for name, read in names.items()}
    except RuntimeError:
        return None


class Standard(logging.StreamHandler):
    """Write to what sys.stdout is at this moment."""

    @property
    def stream(self):
        return sys.stdout

    @stream.setter
    def stream(self, value):
        pass


class MiniLogger:
    def __init__(self, stream=None, *, every=1, window=20, clock=time.perf_counter, gpu=gpu_usage):
        if every < 1:
            raise ValueError("every")
        if window < 1:
            raise ValueError("window")
        # Made by hand: a logger of that name would be shared.
        self.lines = logging.Logger("mini", logging.INFO)
        self.lines.addHandler(Standard() if stream is None else logging.StreamHandler(stream))
        self.every, self.clock, self.gpu = every, clock, gpu
        self.history = defaultdict(lambda: deque(maxlen=window))
        self.unread = []  # (name, entry) of each metric since the last record
        self.seconds = defaultdict(float)
        self.calls = self.total = 0
        self.born = self.since = clock()
        self.closed = False

    def log(self, step, n=1, **metrics):
        if self.closed:
            raise RuntimeError("closed")
        if n < 0:
            raise ValueError("n")
        entries = []
        for name, value in metrics.items():
            if isinstance(value, torch.Tensor):
                if value.numel() != 1:
                    raise ValueError(name)
                value = value.detach().to(torch.float64, copy=True)
            elif not isinstance(value, (int, float)):
                raise TypeError(name)
            entries.append((name, [n, value]))
        for name, entry in entries:
            self.history[name].append(entry)
        self.unread += entries
        self.calls += 1
        self.total += n
        self.step = step
        if self.calls % self.every:
            return None
        return self.write()

    def write(self):
        now = self.clock()
        metrics = {}
        for name, entry in self.unread:
            entry[1] = float(entry[1])
            found = metrics.setdefault(name, {"last": None, "mean": None, "nonfinite": 0})
            good = math.isfinite(entry[1])
            found["last"] = entry[1] if good else None
            found["nonfinite"] += not good
        for name, found in metrics.items():
            good = [(n, v) for n, v in self.history[name] if math.isfinite(v)]
            weight = sum(n for n, _ in good)
            if weight > 0:
                found["mean"] = math.fsum(n * v for n, v in good) / weight
        try:
            gpu = self.gpu()
        except Exception:  # noqa: BLE001
            gpu = None
        record = {
            "step": self.step,
            "elapsed_s": now - self.born,
            "step_ms": (now - self.since) * 1000.0 / self.calls,
            "samples_per_s": self.total / (now - self.since) if now > self.since else None,
            "metrics": metrics,
            "timers_ms": {name: s * 1000.0 / self.calls for name, s in self.seconds.items()},
            "gpu": gpu,
        }
        self.lines.info("%s", json.dumps(record, allow_nan=False))
        self.unread, self.calls, self.total, self.since = [], 0, 0, now
        self.seconds.clear()
        return record

    @contextmanager
    def timer(self, name):
        before = self.clock()
        try:
            yield
        finally:
            self.seconds[name] += self.clock() - before

    def close(self):
        if self.closed:
            return None
        record = self.write() if self.calls else None
        self.closed = True
        return record

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()
