# verdict: WA value
# group: edge
# en: Zero gradient and no gradient are different diagnoses; None marks only the latter.
# zh: 梯度为零和没有梯度是两种诊断；只有后者才是 None。
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
                self.values[name] = 0.0
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
            if math.isnan(new) or new > old:
                self.values[name] = new

    def max_abs(self) -> dict[str, float | None]:
        return {name: value or None for name, value in self.values.items()}

    def report(self) -> str:
        lines = []
        for name, value in self.max_abs().items():
            lines.append(f"{name}: none" if value is None else f"{name}: {value:.3e}")
        return "\n".join(lines)

    def reset(self) -> None:
        for name in self.values:
            self.values[name] = 0.0

    def remove(self) -> None:
        self.active = False
        for handle in self.handles:
            handle.remove()
        self.handles = []

    def __enter__(self) -> "GradientMonitor":
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()
