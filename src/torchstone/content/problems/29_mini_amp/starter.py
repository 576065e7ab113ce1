import torch


class autocast:
    """Run products in ``dtype`` and sensitive operations in float32, in this thread.

    A context manager and a decorator.
    """

    def __init__(self, dtype: torch.dtype = torch.bfloat16, enabled: bool = True) -> None:
        raise NotImplementedError

    def __call__(self, function):
        raise NotImplementedError

    def __enter__(self):
        raise NotImplementedError

    def __exit__(self, *exc_info):
        raise NotImplementedError


class GradScaler:
    """Multiply the loss, divide the gradients, and skip steps whose gradients are not finite."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        raise NotImplementedError

    def scale(self, outputs):
        """Return ``outputs * s``, in containers as well."""
        raise NotImplementedError

    def unscale_(self, optimizer: torch.optim.Optimizer) -> None:
        """Divide the gradients of an optimizer by s, in place, and note whether all are finite."""
        raise NotImplementedError

    def step(self, optimizer: torch.optim.Optimizer, *args, **kwargs):
        """Unscale unless that was done, and step unless a gradient is not finite."""
        raise NotImplementedError

    def update(self, new_scale=None) -> None:
        """Back off, or count a good step and grow in time."""
        raise NotImplementedError

    def get_scale(self) -> float:
        raise NotImplementedError

    def is_enabled(self) -> bool:
        raise NotImplementedError

    def state_dict(self) -> dict:
        raise NotImplementedError

    def load_state_dict(self, state: dict) -> None:
        raise NotImplementedError
