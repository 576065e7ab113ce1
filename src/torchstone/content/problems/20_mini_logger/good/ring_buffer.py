"""Keep each window in one float64 tensor that is overwritten in a circle."""

import json
import sys
import time

import torch


def gpu_usage():
    try:
        if not torch.cuda.is_available():
            return None
        stats = torch.cuda.memory_stats()
    except (RuntimeError, AssertionError):
        return None
    keys = {
        "allocated_mib": "allocated_bytes.all.current",
        "reserved_mib": "reserved_bytes.all.current",
        "peak_mib": "allocated_bytes.all.peak",
    }
    return {key: stats[name] / 1048576 for key, name in keys.items()}


class Ring:
    """The last values of one metric with their weights; row 0 has the values."""

    def __init__(self, window):
        self.rows = torch.zeros(2, window, dtype=torch.float64)
        self.count = 0
        self.odd = torch.tensor(0)

    def push(self, value, n):
        place = self.count % self.rows.shape[1]
        value = value.detach().reshape(()) if isinstance(value, torch.Tensor) else value
        self.rows[0, place] = value
        self.rows[1, place] = n
        self.odd += ~self.rows[0, place].isfinite()
        self.count += 1

    def read(self):
        values, weights = self.rows[:, : self.count].clone()
        finite = values.isfinite()
        weights = torch.where(finite, weights, 0.0)
        total = weights.sum()
        mean = (torch.where(finite, values, 0.0) * weights).sum() / total
        last = values[(self.count - 1) % self.rows.shape[1]]
        last, mean, odd = torch.stack([last, mean, self.odd.double()]).tolist()
        self.odd.zero_()
        finite_or_none = (x if abs(x) < float("inf") else None for x in (last, mean))
        return dict(zip(("last", "mean"), finite_or_none, strict=True), nonfinite=int(odd))


class Stopwatch:
    def __init__(self, clock, times, name):
        self.clock, self.times, self.name = clock, times, name

    def __enter__(self):
        self.begin = self.clock()

    def __exit__(self, *error):
        self.times[self.name] = self.times.get(self.name, 0.0) + self.clock() - self.begin
        return False


class MiniLogger:
    def __init__(self, stream=None, *, every=1, window=20, clock=time.perf_counter, gpu=gpu_usage):
        for name, value in {"every": every, "window": window}.items():
            if value < 1:
                raise ValueError(f"{name} must be at least 1")
        self.stream, self.every, self.window, self.clock, self.gpu = (
            *(stream, every, window),
            *(clock, gpu),
        )
        self.rings, self.fresh, self.times = {}, {}, {}
        self.calls = self.samples = 0
        self.closed = False
        self.start = self.previous = clock()

    def log(self, step, n=1, **metrics):
        if self.closed:
            raise RuntimeError("the logger is closed")
        if n < 0:
            raise ValueError("n < 0")
        for value in metrics.values():
            if isinstance(value, torch.Tensor):
                if value.numel() != 1:
                    raise ValueError("a metric has one element")
            elif not isinstance(value, (int, float)):
                raise TypeError(type(value).__name__)
        with torch.no_grad():
            for name, value in metrics.items():
                if name not in self.rings:
                    self.rings[name] = Ring(self.window)
                self.rings[name].push(value, n)
                self.fresh[name] = None
        self.step, self.calls, self.samples = step, self.calls + 1, self.samples + n
        if self.calls < self.every:
            return None
        return self.write()

    def write(self):
        now = self.clock()
        passed = now - self.previous
        try:
            gpu = self.gpu()
        except Exception:  # noqa: BLE001
            gpu = None
        record = dict(
            step=self.step,
            elapsed_s=now - self.start,
            step_ms=passed / self.calls * 1000,
            samples_per_s=self.samples / passed if passed > 0 else None,
            metrics={name: self.rings[name].read() for name in self.fresh},
            timers_ms={name: t / self.calls * 1000 for name, t in self.times.items()},
            gpu=gpu,
        )
        print(
            json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":")),
            file=sys.stdout if self.stream is None else self.stream,
            flush=True,
        )
        self.fresh.clear()
        self.times.clear()
        self.calls = self.samples = 0
        self.previous = now
        return record

    def timer(self, name):
        return Stopwatch(self.clock, self.times, name)

    def close(self):
        pending, self.closed = self.calls and not self.closed, True
        return self.write() if pending else None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
