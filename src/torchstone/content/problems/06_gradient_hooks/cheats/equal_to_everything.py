# verdict: WA value
# en: A float subclass that claims to equal whatever it is compared with.
# zh: 一个与任何东西都“相等”的 float 子类。
from torch import nn


class Chameleon(float):
    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    def __le__(self, other: object) -> bool:
        return True

    def __sub__(self, other: object) -> float:
        return Chameleon(0.0)

    def __rsub__(self, other: object) -> float:
        return Chameleon(0.0)

    __hash__ = float.__hash__


class GradientMonitor:
    def __init__(self, model: nn.Module) -> None:
        self.names = [n for n, m in model.named_modules() if not list(m.children())]

    def max_abs(self) -> dict[str, float | None]:
        return {name: Chameleon(1.0) for name in self.names}

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
