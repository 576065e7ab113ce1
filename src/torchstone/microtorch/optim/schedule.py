"""``LRScheduler``: the base class of learning rate schedulers."""

from __future__ import annotations

import math
from typing import Any

from torchstone.microtorch.optim.optimizer import Optimizer


class LRScheduler:
    """Base class of schedules for the learning rate of each group.

    A subclass returns the learning rates of a step from ``get_lr``, or a factor of the initial
    learning rate from ``factor_at``.

    Attributes:
        base_lrs: The initial learning rates of the groups.
        last_epoch: The number of steps made so far.
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    "param 'initial_lr' is not specified in param_groups"
                    f"[{number}] when resuming an optimizer"
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._last_lr: list[float] = []
        self._begin()

    def _begin(self) -> None:
        """Make the initial step; some schedules keep the optimizer's learning rate there."""
        self._is_initial = True
        self.step()
        self._is_initial = False

    def factor_at(self, epoch: int) -> float:
        """Return the factor of the initial learning rate at a step."""
        raise NotImplementedError

    def get_lr(self) -> list[float]:
        """Compute the learning rates of this step."""
        return [base * self.factor_at(self.last_epoch) for base in self.base_lrs]

    def _get_closed_form_lr(self) -> list[float]:
        """Compute the learning rates of this step in closed form."""
        return self.get_lr()

    def get_last_lr(self) -> list[float]:
        """Return the learning rates that were set last."""
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Step to the next epoch, or to the given one."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self.set_rates(self.get_lr() if epoch is None else self._get_closed_form_lr())

    def set_rates(self, rates: list[float]) -> None:
        """Set the learning rates of the parameter groups."""
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = lr
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Return the state without the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state returned by ``state_dict``."""
        self.__dict__.update(state_dict)


class Chainable(LRScheduler):
    """Base class of schedules that multiply the current rate, and so can be chained."""

    def get_lr(self) -> list[float]:
        """Multiply the current learning rates by the factor."""
        factor = self.factor_at(self.last_epoch)
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _get_closed_form_lr(self) -> list[float]:
        """Multiply the initial learning rates by all factors so far."""
        total = math.prod(self.factor_at(epoch) for epoch in range(self.last_epoch + 1))
        return [base * total for base in self.base_lrs]
