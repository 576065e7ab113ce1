"""``Distribution``: the base class of probability distributions."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import torchstone.microtorch as torch
from torchstone.microtorch.grad_mode import enable_grad, no_grad
from torchstone.microtorch.ops.creation import tensor
from torchstone.microtorch.tensor import Size, Tensor


def as_tensors(*values: Any) -> Any:
    """Broadcast tensors and numbers; numbers get the dtype of the first tensor."""
    dtype = next((each.dtype for each in values if isinstance(each, Tensor)), None)
    return torch.broadcast_tensors(
        *(each if isinstance(each, Tensor) else tensor(float(each), dtype=dtype) for each in values)
    )


def derived(function: Callable[[Any], Any]) -> Any:
    """Create a cached property that is always computed with gradients enabled."""
    return cached_property(enable_grad()(function))


class Distribution:
    """Base class: a batch of distributions.

    Attributes:
        batch_shape: The shape of the batch, and of the results of ``log_prob`` and ``entropy``.
    """

    event_shape = Size(())
    has_rsample = False
    _names: tuple[str, ...] = ()

    def __init__(self, batch_shape: Any, validate_args: bool | None) -> None:
        self.batch_shape = Size(batch_shape)
        self._validates = validate_args is not False

    def _require(self, name: str, holds: Any, constraint: str) -> None:
        """Raise an error if a parameter violates its constraint."""
        rule = f"of distribution {self!r} to satisfy the constraint {constraint}"
        self._expect(f"parameter {name}", vars(self)[name], holds, rule)

    def _expect(self, what: str, value: Any, holds: Any, rule: str) -> None:
        """Raise an error if a value violates a constraint and validation is enabled."""
        if self._validates and not holds.all():
            shown = f"{type(value).__name__} of shape {tuple(value.shape)}"
            raise ValueError(
                f"Expected {what} ({shown}) {rule}, but found invalid values:\n{value}"
            )

    def log_prob(self, value: Any) -> Any:
        """Compute the log-probability, or log-density, of each value."""
        if self._validates:
            self._check(value)
        return self._log_prob(value)

    def _log_prob(self, value: Any) -> Any:
        raise NotImplementedError

    def _support(self, value: Any) -> tuple[Any, str]:
        """Return whether values are in the support, and PyTorch's name of that constraint."""
        raise NotImplementedError

    def _check(self, value: Any) -> None:
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        pairs = zip(reversed(value.shape), reversed(self.batch_shape), strict=False)
        if any(1 not in pair and pair[0] != pair[1] for pair in pairs):
            raise ValueError(
                f"Value is not broadcastable with batch_shape+event_shape: {value.shape} vs "
                f"{self.batch_shape}."
            )
        holds, support = self._support(value)
        rule = f"to be within the support ({support}) of the distribution {self!r}"
        self._expect("value argument", value, holds, rule)

    @no_grad()
    def sample(self, sample_shape: Any = ()) -> Any:
        """Draw samples, without gradients."""
        return self._draw(Size((*sample_shape, *self.batch_shape)))

    def _draw(self, shape: Size) -> Any:
        raise NotImplementedError

    def __repr__(self) -> str:
        found = [(name, vars(self)[name]) for name in self._names if name in vars(self)]
        inside = (f"{name}: {x if x.numel() == 1 else x.size()}" for name, x in found)
        return f"{type(self).__name__}({', '.join(inside)})"
