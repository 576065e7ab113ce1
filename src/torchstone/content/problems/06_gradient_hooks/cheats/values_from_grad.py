# verdict: WA value
# en: Guesses the gradient at an output from the gradients of the layer's parameters.
# zh: 用参数的 `.grad` 猜测输出处的梯度。
from torch import nn


class GradientMonitor:
    def __init__(self, model: nn.Module) -> None:
        self.layers = {n: m for n, m in model.named_modules() if not list(m.children())}

    def max_abs(self) -> dict[str, float | None]:
        found, last = {}, None
        for name, module in self.layers.items():
            grads = [p.grad for p in module.parameters() if p.grad is not None]
            last = max((g.abs().max().item() for g in grads), default=last)
            found[name] = last
        return found

    def report(self) -> str:
        return ""

    def reset(self) -> None:
        pass

    def remove(self) -> None:
        pass

    def __enter__(self) -> "GradientMonitor":
        return self

    def __exit__(self, *exc: object) -> None:
        pass
