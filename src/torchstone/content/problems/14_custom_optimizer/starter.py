from collections.abc import Callable, Iterable

from torch import Tensor


class Adam:
    """Divide the mean of the gradients by the root of the mean of their squares.

    Both means start at 0 and are corrected for it.
    """

    param_groups: list[dict]

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[dict],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        decoupled_weight_decay: bool = False,
    ) -> None:
        raise NotImplementedError

    def step(self, closure: Callable[[], Tensor] | None = None) -> Tensor | None:
        """Update every parameter that has a gradient, in place; return the closure's value."""
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        raise NotImplementedError

    def add_param_group(self, group: dict) -> None:
        raise NotImplementedError

    def state_dict(self) -> dict:
        """Return the moments by the number of a parameter, and the groups."""
        raise NotImplementedError

    def load_state_dict(self, state_dict: dict) -> None:
        raise NotImplementedError


class RMSprop:
    """Divide the gradient by the root of the mean of its squares."""

    param_groups: list[dict]

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[dict],
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
    ) -> None:
        raise NotImplementedError

    def step(self, closure: Callable[[], Tensor] | None = None) -> Tensor | None:
        """Update every parameter that has a gradient, in place; return the closure's value."""
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        raise NotImplementedError

    def add_param_group(self, group: dict) -> None:
        raise NotImplementedError

    def state_dict(self) -> dict:
        """Return the averages by the number of a parameter, and the groups."""
        raise NotImplementedError

    def load_state_dict(self, state_dict: dict) -> None:
        raise NotImplementedError
