"""What distributions have in common."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from torchstone.microtorch.grad_mode import enable_grad, no_grad
from torchstone.microtorch.tensor import Size


def derived(function: Callable[[Any], Any]) -> Any:
    """Make a property that is computed once: with its history, though a sample asks first."""
    return cached_property(enable_grad()(function))


class Distribution:
    """A batch of distributions of numbers.

    Attributes:
        batch_shape: The shape of the batch, and of what ``log_prob`` and ``entropy`` give.
    """

    event_shape = Size(())
    _names: tuple[str, ...] = ()

    def __init__(self, batch_shape: Any) -> None:
        self.batch_shape = Size(batch_shape)

    @no_grad()
    def sample(self, sample_shape: Any = ()) -> Any:
        """Draw so many times, without a history."""
        return self._draw(Size((*sample_shape, *self.batch_shape)))

    def _draw(self, shape: Size) -> Any:
        raise NotImplementedError

    def __repr__(self) -> str:
        found = [(name, vars(self)[name]) for name in self._names if name in vars(self)]
        inside = (f"{name}: {x if x.numel() == 1 else x.size()}" for name, x in found)
        return f"{type(self).__name__}({', '.join(inside)})"
