# verdict: WA property
# group: sample
# en: Takes the names of functions from a TorchFunctionMode, and guesses twice the forward time as backward.
# zh: 用 TorchFunctionMode 取函数名，反向时间按前向的两倍猜测。
# A mode sees calls of Python and no operators; nothing links them to the backward pass.
import time
from dataclasses import dataclass, field
from functools import partial

from torch.overrides import TorchFunctionMode


@dataclass
class LayerStat:
    name: str
    type: str
    calls: int = 0
    total_us: float = 0.0
    self_us: float = 0.0
    backward_us: float = 0.0
    ops: dict[str, int] = field(default_factory=dict)


class LayerProfiler(TorchFunctionMode):
    def __init__(self, model, *, warmup=1):
        super().__init__()
        if warmup < 0:
            raise ValueError(warmup)
        self.model, self.warmup = model, warmup

    def __enter__(self):
        self.rows, self.handles, self.open, self.number = [], [], [], 0
        for name, module in self.model.named_modules():
            row = LayerStat(name, type(module).__name__)
            self.rows.append(row)
            self.handles += [
                module.register_forward_pre_hook(partial(self.begin, row), prepend=True),
                module.register_forward_hook(self.end, always_call=True),
            ]
        return super().__enter__()

    def __exit__(self, *exc):
        for handle in self.handles:
            handle.remove()
        super().__exit__(*exc)

    def begin(self, row, module, args):
        self.open.append([row, time.perf_counter(), 0.0])

    def end(self, module, args, output):
        row, begun, inside = self.open.pop()
        took = 1e6 * (time.perf_counter() - begun)
        if self.open:
            self.open[-1][2] += took
        if self.number >= self.warmup:
            row.calls += 1
            row.total_us += 0 if any(row is each[0] for each in self.open) else took
            row.self_us += took - inside
            row.backward_us = 2 * row.self_us

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if self.open and self.number >= self.warmup:
            ops, name = self.open[-1][0].ops, f"aten::{func.__name__}"
            ops[name] = ops.get(name, 0) + 1
        return func(*args, **(kwargs or {}))

    def step(self):
        self.number += 1

    def stats(self):
        return self.rows

    def table(self):
        return "\n".join(map(str, self.rows))
