# verdict: WA value
# group: accum
# en: The largest entry is remembered by tensor; new values in a gradient get the old one.
# zh: 按张量记住最大的元素；同一个梯度张量换了新值，得到的仍是旧值。
import math
import weakref
from collections.abc import Callable

from torch import Tensor, nn

# A weak reference, so that no gradient outlives its loss, and no address is mistaken for another.
answers: dict = {}


def largest(gradient: Tensor) -> float:
    known = answers.get(id(gradient))
    if known is not None and known[0]() is gradient and known[1] == gradient._version:
        return known[2]
    value = gradient.abs().max().item()
    answers[id(gradient)] = weakref.ref(gradient), gradient._version, value
    return value


class GradientMonitor:
    """Keep the largest absolute gradient that arrived at the output of every layer."""

    def __init__(self, model: nn.Module) -> None:
        self._values: dict[str, float | None] = {}
        self._handles = []
        self._watching = True
        for name, module in model.named_modules():
            if next(module.children(), None) is None:
                self._values[name] = None
                self._handles.append(module.register_forward_hook(self._watcher(name)))

    def _watcher(self, name: str) -> Callable[..., None]:
        # A factory gives every closure a `name` of its own; closures in the loop would share one.
        def record(gradient: Tensor) -> None:
            # A graph built before `remove` still carries this hook.
            if not self._watching or gradient.numel() == 0:
                return
            new, old = largest(gradient), self._values[name]
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
        self._watching = False
        for handle in self._handles:
            handle.remove()

    def __enter__(self) -> "GradientMonitor":
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()
