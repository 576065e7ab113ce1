# verdict: WA property
# en: Hooks every module of the process instead of this model's layers.
# zh: 给进程里的所有模块挂 hook，而不是只给这个模型的各层。
import math

from torch import nn
from torch.nn.modules.module import register_module_full_backward_hook


class GradientMonitor:
    def __init__(self, model: nn.Module) -> None:
        self.values: dict[str, float | None] = {}
        self.names = {}
        self.handles = [register_module_full_backward_hook(self._record)]
        self.active = True
        for name, module in model.named_modules():
            if not list(module.children()):
                self.values[name] = None
                self.names[module] = name

    def _record(self, module, grad_input, grad_output) -> None:
        if not self.active or module not in self.names:
            return
        name = self.names[module]
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
