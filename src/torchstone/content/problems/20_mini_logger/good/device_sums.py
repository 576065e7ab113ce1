"""Copy each value into float64 on its device; one transfer for each record, and plain lists."""

import dataclasses
import json
import math
import sys
import time
from typing import Any

import torch


def gpu_usage():
    usage = None
    if torch.cuda.is_available():
        try:
            scale = float(1 << 20)
            usage = {
                "allocated_mib": torch.cuda.memory_allocated() / scale,
                "reserved_mib": torch.cuda.memory_reserved() / scale,
                "peak_mib": torch.cuda.max_memory_allocated() / scale,
            }
        except RuntimeError:
            pass
    return usage


@dataclasses.dataclass
class Interval:
    """What happened since the last record."""

    begin: float
    step: int = 0
    calls: int = 0
    samples: int = 0
    new: dict[str, int] = dataclasses.field(default_factory=dict)
    timers: dict[str, float] = dataclasses.field(default_factory=dict)


class Timer:
    def __init__(self, owner: Any, name: str) -> None:
        self.owner, self.name, self.begins = owner, name, []

    def __enter__(self) -> None:
        self.begins.append(self.owner.clock())

    def __exit__(self, *args: Any) -> None:
        timers = self.owner.interval.timers
        timers.setdefault(self.name, 0.0)
        timers[self.name] += self.owner.clock() - self.begins.pop()


class MiniLogger:
    def __init__(self, stream=None, *, every=1, window=20, clock=time.perf_counter, gpu=gpu_usage):
        if every <= 0 or window <= 0:
            raise ValueError("every, window: positive")
        self.out, self.every, self.window = stream, every, window
        self.clock, self.gpu, self.done = clock, gpu, False
        self.start = clock()
        self.interval = Interval(self.start)
        self.weights: dict[str, list[int]] = {}
        self.values: dict[str, list[torch.Tensor | float]] = {}

    @torch.no_grad()
    def log(self, step, n=1, **metrics):
        if self.done:
            raise RuntimeError("log after close")
        if n < 0:
            raise ValueError("n")
        new = {}
        for name, value in metrics.items():
            if torch.is_tensor(value):
                if value.shape.numel() != 1:
                    raise ValueError(name)
                new[name] = torch.empty((), dtype=torch.float64, device=value.device)
                new[name].copy_(value.view(()) if value.is_contiguous() else value.squeeze())
            elif type(value) in (bool, int, float):
                new[name] = value * 1.0
            else:
                raise TypeError(name)
        for name, value in new.items():
            self.values.setdefault(name, []).append(value)
            self.weights.setdefault(name, []).append(n)
            self.interval.new[name] = self.interval.new.get(name, 0) + 1
        self.interval.step = step
        self.interval.calls += 1
        self.interval.samples += n
        if self.interval.calls >= self.every:
            return self.record()

    def fetch(self):
        """Turn all tensors of the interval into numbers."""
        places = [
            (values, place)
            for name, count in self.interval.new.items()
            for values in [self.values[name]]
            for place in range(len(values) - count, len(values))
            if torch.is_tensor(values[place])
        ]
        if places:
            numbers = torch.stack([values[place] for values, place in places]).cpu().numpy()
            for (values, place), number in zip(places, numbers, strict=True):
                values[place] = float(number)

    def record(self):
        now, interval = self.clock(), self.interval
        self.fetch()
        metrics = {}
        for name, count in interval.new.items():
            values, weights = self.values[name], self.weights[name]
            recent = values[-count:]
            del values[: -self.window], weights[: -self.window]
            kept = [(v, n) for v, n in zip(values, weights, strict=True) if n and v - v == 0]
            total = sum(n for _, n in kept)
            metrics[name] = {
                "last": recent[-1] if math.isfinite(recent[-1]) else None,
                "mean": math.fsum(v * n for v, n in kept) / total if kept else None,
                "nonfinite": sum(1 for v in recent if v != v or v in (math.inf, -math.inf)),
            }
        seconds = now - interval.begin
        try:
            gpu = self.gpu()
        except Exception:  # noqa: BLE001
            gpu = None
        record = {
            "gpu": gpu,
            "metrics": metrics,
            "timers_ms": {k: v * 1e3 / interval.calls for k, v in interval.timers.items()},
            "step": interval.step,
            "step_ms": seconds * 1e3 / interval.calls,
            "elapsed_s": now - self.start,
            "samples_per_s": None,
        }
        if seconds > 0:
            record["samples_per_s"] = interval.samples / seconds
        stream = self.out if self.out is not None else sys.stdout
        stream.writelines([json.dumps(record, sort_keys=True, allow_nan=False), "\n"])
        stream.flush()
        self.interval = Interval(now)
        return record

    def timer(self, name):
        return Timer(self, name)

    def close(self):
        if self.done:
            return None
        self.done = True
        return self.record() if self.interval.calls else None

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()
