import torch


class GradientMonitor:
    """Keep the largest absolute gradient that arrived at the output of every layer.

    A layer is a module without child modules, under its first name in ``named_modules()``.
    """

    def __init__(self, model: torch.nn.Module) -> None:
        raise NotImplementedError

    def max_abs(self) -> dict[str, float | None]:
        """Return a fresh dict: the value of every layer, ``None`` where no gradient arrived."""
        raise NotImplementedError

    def report(self) -> str:
        """Return one line per layer: ``<name>: <value:.3e>`` or ``<name>: none``."""
        raise NotImplementedError

    def reset(self) -> None:
        """Forget the values and keep watching."""
        raise NotImplementedError

    def remove(self) -> None:
        """Take all own hooks off; the values stay readable."""
        raise NotImplementedError

    def __enter__(self) -> "GradientMonitor":
        raise NotImplementedError

    def __exit__(self, *exc: object) -> None:
        raise NotImplementedError
