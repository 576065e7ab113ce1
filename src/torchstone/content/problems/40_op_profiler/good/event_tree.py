# torch.profiler, one run for each step, and the tree of its FunctionEvents.
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass

import torch
from torch.profiler import ProfilerActivity, record_function


@dataclass
class LayerStat:
    name: str
    type: str
    calls: int
    total_us: float
    self_us: float
    backward_us: float
    ops: dict[str, int]


class LayerProfiler:
    def __init__(self, model, *, warmup=1):
        if warmup < 0:
            raise ValueError("warmup < 0")
        self.model = model
        self.warmup = warmup
        self.events = []

    def __enter__(self):
        self.events, self.left, self.profile = [], self.warmup, None
        self.labels = {m: f"<{name}>" for name, m in self.model.named_modules()}
        with ExitStack() as stack:
            for module in self.labels:
                open_ranges = []

                def before(module, args, open_ranges=open_ranges):
                    open_ranges.append(record_function(self.labels[module]).__enter__())

                def after(module, args, output, open_ranges=open_ranges):
                    open_ranges.pop().__exit__(None, None, None)

                stack.enter_context(module.register_forward_pre_hook(before))
                stack.enter_context(module.register_forward_hook(after, always_call=True))
            stack.callback(self.stop)
            self.hooks = stack.pop_all()
        self.start()
        return self

    def __exit__(self, *exc):
        return self.hooks.__exit__(*exc)

    def start(self):
        if self.left == 0:
            self.profile = torch.profiler.profile(activities=[ProfilerActivity.CPU])
            self.profile.start()

    def stop(self):
        if self.profile is not None:
            self.profile.stop()
            self.events.append(self.profile.events())
            self.profile = None

    def step(self):
        self.stop()
        self.left = max(self.left - 1, 0)
        self.start()

    def stats(self):
        rows = {
            f"<{name}>": LayerStat(name, type(module).__name__, 0, 0.0, 0.0, 0.0, Counter())
            for name, module in self.model.named_modules()
        }
        numbers = {}
        for events in self.events:
            for event in sorted(events, key=lambda event: event.time_range.start):
                read(event, rows, numbers)
        for row in rows.values():
            row.ops = dict(row.ops)
        return list(rows.values())

    def table(self):
        return "\n".join(str(row) for row in self.stats())


def read(event, rows, numbers):
    took = event.time_range.elapsed_us()
    parents = []
    while (parents[-1] if parents else event).cpu_parent is not None:
        parents.append((parents[-1] if parents else event).cpu_parent)
    layers = [rows[parent.name] for parent in parents if parent.name in rows]
    if event.name in rows:
        row = rows[event.name]
        row.calls += 1
        row.self_us += took
        if layers:
            layers[0].self_us -= took
        if row not in [each for each in layers if each is row]:
            row.total_us += took
    elif event.name.startswith("autograd::engine::evaluate_function"):
        if (owner := numbers.get(event.sequence_nr)) is not None:
            owner.backward_us += took
    elif event.scope == 0:
        if event.sequence_nr >= 0:
            numbers[event.sequence_nr] = layers[0] if layers else None
        if layers and parents[0].name in rows and event.name.startswith("aten::"):
            layers[0].ops[event.name] += 1
