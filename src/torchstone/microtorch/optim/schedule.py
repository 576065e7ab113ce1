"""``LRScheduler``: the base class of learning rate schedulers."""

from __future__ import annotations

import math
from typing import Any

from torchstone.microtorch.optim.optimizer import Optimizer


class LRScheduler:
    """Sets the learning rate of each group, step by step.

    A schedule says the rate of a step in ``get_lr``. Most say it as a factor of the rate at which
    the group began, in ``factor``.

    Attributes:
        base_lrs: The rates at which the groups began.
        last_epoch: How many steps were made.
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
        """Make the initial step; some schedules keep the optimiser's rate there."""
        self._is_initial = True
        self.step()
        self._is_initial = False

    def factor_at(self, epoch: int) -> float:
        """Return the factor of the initial learning rate."""
        raise NotImplementedError

    def get_lr(self) -> list[float]:
        """Compute the learning rates of this step."""
        return [base * self.factor_at(self.last_epoch) for base in self.base_lrs]

    def _get_closed_form_lr(self) -> list[float]:
        """Compute the learning rates of this step in closed form."""
        return self.get_lr()

    def get_last_lr(self) -> list[float]:
        """Return the rates that were set last."""
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Step to the next epoch, or to the given one."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self.set_rates(self.get_lr() if epoch is None else self._get_closed_form_lr())

    def set_rates(self, rates: list[float]) -> None:
        """Set the rates of the parameter groups."""
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = lr
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Return all but the optimiser."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state of ``state_dict``."""
        self.__dict__.update(state_dict)


class Chainable(LRScheduler):
    """Multiplies the rate of the step before, so that others may change it, too."""

    def get_lr(self) -> list[float]:
        """Multiply the rates that hold."""
        factor = self.factor_at(self.last_epoch)
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _get_closed_form_lr(self) -> list[float]:
        """Multiply all factors so far."""
        total = math.prod(self.factor_at(epoch) for epoch in range(self.last_epoch + 1))
        return [base * total for base in self.base_lrs]
