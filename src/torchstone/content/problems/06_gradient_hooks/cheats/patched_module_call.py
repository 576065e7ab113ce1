# verdict: WA property
# en: Replaces nn.Module.__call__ for the whole process.
# zh: 为整个进程替换 `nn.Module.__call__`。
import math

from torch import nn

MONITORS = []
ORIGINAL = nn.Module.__call__


def watched_call(module, *args, **kwargs):
    output = ORIGINAL(module, *args, **kwargs)
    for monitor in MONITORS:
        monitor.follow(module, output)
    return output


nn.Module.__call__ = watched_call


class GradientMonitor:
    def __init__(self, model: nn.Module) -> None:
        self.values: dict[str, float | None] = {}
        self.names = {}
        self.active = True
        for name, module in model.named_modules():
            if not list(module.children()):
                self.values[name] = None
                self.names[module] = name
        MONITORS.append(self)

    def follow(self, module, output) -> None:
        if module in self.names:
            for tensor in output if isinstance(output, tuple) else (output,):
                if tensor.requires_grad:
                    tensor.register_hook(lambda g: self._record(self.names[module], g))

    def _record(self, name, gradient) -> None:
        if self.active and gradient.numel():
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
        if self in MONITORS:
            MONITORS.remove(self)

    def __enter__(self) -> "GradientMonitor":
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()
