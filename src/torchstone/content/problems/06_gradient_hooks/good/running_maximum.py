# style: full backward hooks; one gradient after the other, a running maximum that NaN replaces
import functools
import math

from torch import nn


class GradientMonitor:
    def __init__(self, model: nn.Module) -> None:
        self.values: dict[str, float | None] = {}
        self.handles = []
        self.active = True
        for name, module in model.named_modules():
            if not list(module.children()):
                self.values[name] = None
                hook = functools.partial(self._record, name)
                self.handles.append(module.register_full_backward_hook(hook))

    def _record(self, name, module, grad_input, grad_output) -> None:
        if not self.active:
            return
        for gradient in grad_output:
            if gradient is None or gradient.numel() == 0:
                continue
            new = gradient.abs().max().item()
            old = self.values[name]
            if old is None or math.isnan(new) or new > old:
                self.values[name] = new

    def max_abs(self) -> dict[str, float | None]:
        return dict(self.values)

    def report(self) -> str:
        lines = []
        for name, value in self.values.items():
            lines.append(f"{name}: none" if value is None else f"{name}: {value:.3e}")
        return "\n".join(lines)

    def reset(self) -> None:
        for name in self.values:
            self.values[name] = None

    def remove(self) -> None:
        self.active = False
        for handle in self.handles:
            handle.remove()
        self.handles = []

    def __enter__(self) -> "GradientMonitor":
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()
