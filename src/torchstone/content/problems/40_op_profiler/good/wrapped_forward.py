# Each forward is wrapped; a clock of its own for forward, the profiler for operators and backward.
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter_ns

from torch.autograd.profiler import profile, record_function


@dataclass
class LayerStat:
    name: str
    type: str
    calls: int = 0
    total_us: float = 0.0
    self_us: float = 0.0
    backward_us: float = 0.0
    ops: dict = None


class LayerProfiler:
    def __init__(self, model, *, warmup=1):
        if warmup < 0:
            raise ValueError("negative warmup")
        self.modules, self.warmup = dict(model.named_modules()), warmup
        self.rows = []

    def __enter__(self):
        self.rows = [LayerStat(n, type(m).__name__, ops={}) for n, m in self.modules.items()]
        self.stack, self.number, self.running, self.finished = [], 0, None, []
        self.former = []
        for row, module in zip(self.rows, self.modules.values(), strict=True):
            self.former.append((module, vars(module).get("forward")))
            module.forward = self.wrap(row, module.forward)
        self.next_step()
        return self

    def __exit__(self, *exc):
        for module, forward in self.former:
            if forward is None:
                del module.forward
            else:
                module.forward = forward
        self.end_step()

    def step(self):
        self.end_step()
        self.number += 1
        self.next_step()

    def next_step(self):
        if self.number >= self.warmup:
            self.running = profile()
            self.running.__enter__()

    def end_step(self):
        if self.running is not None:
            self.running.__exit__(None, None, None)
            self.finished.append(self.running)
            self.running = None

    def wrap(self, row, forward):
        def wrapped(*args, **kwargs):
            if self.running is None:
                return forward(*args, **kwargs)
            with self.timed(row), record_function(f"L{id(row)}"):
                return forward(*args, **kwargs)

        return wrapped

    @contextmanager
    def timed(self, row):
        is_outermost = all(each is not row for each, _ in self.stack)
        inside = []
        begun = perf_counter_ns()
        self.stack.append((row, inside))
        try:
            yield
        finally:
            self.stack.pop()
            took = perf_counter_ns() - begun
            row.calls += 1
            row.self_us += (took - sum(inside)) / 1e3
            if is_outermost:
                row.total_us += took / 1e3
            if self.stack:
                self.stack[-1][1].append(took)

    def stats(self):
        labels = {f"L{id(row)}": row for row in self.rows}
        for finished in self.finished:
            read(finished.kineto_results.events(), labels)
        self.finished = []
        return self.rows

    def table(self):
        rows = self.stats()
        width = max(len(row.name) for row in rows)
        return "\n".join(
            f"{row.name:>{width}} | {row.total_us:9.1f} us | {row.ops}" for row in rows
        )


def read(events, labels):
    """Rebuild the nesting from the intervals: open ones end after the current one begins."""
    intervals = [(e.start_ns(), -e.duration_ns(), e.name(), e.sequence_nr()) for e in events]
    stack, owner_of = [], {}
    for start, minus, name, number in sorted(intervals, key=lambda each: each[:2]):
        while stack and stack[-1][0] <= start:
            stack.pop()
        layer = labels.get(name)
        owner = stack[-1][1] if stack else None
        if layer is not None:
            owner = layer
        elif name.startswith("autograd::engine::evaluate_function: "):
            if owner_of.get(number) is not None:
                owner_of[number].backward_us -= minus / 1e3
            owner = None
        else:
            is_backward = bool(stack) and stack[-1][2].startswith("autograd::")
            if number >= 0 and not is_backward:
                owner_of[number] = owner
            if owner is not None and stack[-1][2] in labels and name.startswith("aten::"):
                owner.ops[name] = owner.ops.get(name, 0) + 1
        stack.append((start - minus, owner, name))
