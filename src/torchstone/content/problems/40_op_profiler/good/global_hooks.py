# Hooks for all modules at once; each step is read when it ends.
import time
from collections import defaultdict
from dataclasses import dataclass, field

from torch.autograd.profiler import profile, record_function
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)

SIGN = "@layer:"


@dataclass(slots=True)
class LayerStat:
    name: str
    type: str
    calls: int = 0
    total_us: float = 0.0
    self_us: float = 0.0
    backward_us: float = 0.0
    ops: dict[str, int] = field(default_factory=lambda: defaultdict(int))


class LayerProfiler:
    def __init__(self, model, *, warmup=1):
        if warmup < 0:
            raise ValueError(f"warmup={warmup}")
        self._model = model
        self._warmup = warmup
        self._rows = {}

    def __enter__(self):
        self._rows = {
            module: LayerStat(name, type(module).__name__)
            for name, module in self._model.named_modules()
        }
        self._numbers = {str(place): row for place, row in enumerate(self._rows.values())}
        self._labels = {module: f"{SIGN}{place}" for place, module in enumerate(self._rows)}
        self._stack = []
        self._handles = (
            register_module_forward_pre_hook(self._before),
            register_module_forward_hook(self._after, always_call=True),
        )
        self._left, self._owners = self._warmup, {}
        self._profile = None
        self._begin_step()
        return self

    def __exit__(self, kind, error, trace):
        for handle in self._handles:
            handle.remove()
        self._end_step()
        return False

    def _begin_step(self):
        if not self._left:
            self._profile = profile()
            self._profile.__enter__()

    def _end_step(self):
        if self._profile is not None:
            self._profile.__exit__(None, None, None)
            self._read(self._profile.kineto_results.events())
            self._profile = None

    def step(self):
        self._end_step()
        if self._left:
            self._left -= 1
        self._begin_step()

    def _before(self, module, args):
        if module in self._rows:
            label = record_function(self._labels[module])
            self._stack.append((module, label, time.perf_counter()))
            label.__enter__()

    def _after(self, module, args, output):
        if module not in self._rows:
            return
        _, label, begun = self._stack.pop()
        label.__exit__(None, None, None)
        took = 1e6 * (time.perf_counter() - begun)
        if self._profile is None:
            return
        row, above = self._rows[module], [each for each, _, _ in self._stack]
        row.calls += 1
        row.self_us += took
        row.total_us += took * (module not in above)
        if above:
            self._rows[above[-1]].self_us -= took

    def _read(self, events):
        ends = []
        for event in sorted(events, key=lambda e: (e.start_ns(), -e.duration_ns())):
            name, number = event.name(), event.sequence_nr()
            while ends and ends[-1][0] <= event.start_ns():
                ends.pop()
            row = ends[-1][1] if ends else None
            is_top = bool(ends) and ends[-1][2]
            is_layer = name.startswith(SIGN)
            if is_layer:
                row = self._numbers[name[len(SIGN) :]]
            elif "evaluate_function" in name:
                owner = self._owners.get(number)
                if owner is not None:
                    owner.backward_us += event.duration_ns() * 1e-3
                row = None
            elif event.scope() == 0:
                if number != -1:
                    self._owners[number] = row
                if is_top and name.startswith("aten::"):
                    row.ops[name] += 1
            ends.append((event.start_ns() + event.duration_ns(), row, is_layer))

    def stats(self):
        return list(self._rows.values())

    def table(self):
        head = ["name", "type", "calls", "total", "self", "backward"]
        lines = ["\t".join(head)]
        for row in self.stats():
            times = (f"{each:.0f}" for each in (row.total_us, row.self_us, row.backward_us))
            lines.append("\t".join([row.name or ".", row.type, str(row.calls), *times]))
        return "\n".join(lines)
