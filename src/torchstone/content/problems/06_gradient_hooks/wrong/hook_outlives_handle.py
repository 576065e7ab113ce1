# verdict: WA value | WA property
# group: removal
# en: A removed handle leaves its hook in the graphs that were built before: there it still records.
# zh: 句柄移除之后，hook 仍留在之前建好的图里，照样会记录。
import math
from collections.abc import Callable

from torch import Tensor, nn


class GradientMonitor:
    def __init__(self, model: nn.Module) -> None:
        self._values: dict[str, float | None] = {}
        self._handles = []
        for name, module in model.named_modules():
            if next(module.children(), None) is None:
                self._values[name] = None
                self._handles.append(module.register_forward_hook(self._watcher(name)))

    def _watcher(self, name: str) -> Callable[..., None]:
        # A factory gives every closure a `name` of its own; closures in the loop would share one.
        def record(gradient: Tensor) -> None:
            if gradient.numel() == 0:
                return
            new, old = gradient.abs().max().item(), self._values[name]
            # `max` would lose a NaN: every comparison with NaN is False.
            if old is None or math.isnan(new) or new > old:
                self._values[name] = new

        def watch(_module: nn.Module, _inputs: tuple, output: Tensor | tuple[Tensor, ...]) -> None:
            # A hook on the tensor fires once, with the sum over all consumers; an output that
            # nobody uses never fires, one without graph cannot be hooked.
            for tensor in output if isinstance(output, tuple) else (output,):
                if tensor.requires_grad:
                    tensor.register_hook(record)

        return watch

    def max_abs(self) -> dict[str, float | None]:
        return dict(self._values)

    def report(self) -> str:
        lines = (
            f"{name}: none" if value is None else f"{name}: {value:.3e}"
            for name, value in self._values.items()
        )
        return "\n".join(lines)

    def reset(self) -> None:
        self._values = dict.fromkeys(self._values)

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()

    def __enter__(self) -> "GradientMonitor":
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()
