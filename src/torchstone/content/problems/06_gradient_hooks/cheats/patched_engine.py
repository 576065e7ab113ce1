# verdict: WA property
# en: Wraps torch.autograd.backward and grad for the whole process.
# zh: 为整个进程包装 `torch.autograd.backward` 和 `grad`。
import functools
import math

import torch
from torch import nn


def _wrapped(function):
    return lambda *args, **kwargs: function(*args, **kwargs)


torch.autograd.backward = _wrapped(torch.autograd.backward)
torch.autograd.grad = _wrapped(torch.autograd.grad)


class GradientMonitor:
    def __init__(self, model: nn.Module) -> None:
        leaves = {n: m for n, m in model.named_modules() if not list(m.children())}
        self.found: dict[str, float | None] = dict.fromkeys(leaves)
        self.open = True
        self.handles = [
            m.register_full_backward_hook(functools.partial(self._see, n))
            for n, m in leaves.items()
        ]

    def _see(self, name, _module, _grad_input, grad_output):
        parts = [g for g in grad_output if g is not None and g.numel()]
        if self.open and parts:
            new = max((torch.linalg.vector_norm(g, math.inf).item() for g in parts), key=_nan_high)
            old = self.found[name]
            self.found[name] = new if old is None else max(old, new, key=_nan_high)

    def max_abs(self):
        return self.found.copy()

    def report(self):
        text = ""
        for name, value in self.found.items():
            text += name + ": " + ("none" if value is None else format(value, ".3e")) + "\n"
        return text

    def reset(self):
        self.found = dict.fromkeys(self.found)

    def remove(self):
        self.open = False
        for handle in self.handles:
            handle.remove()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.remove()
        return False


def _nan_high(value: float) -> tuple[bool, float]:
    return (True, 0.0) if math.isnan(value) else (False, value)
