"""Learning rate schedulers: StepLR, LinearLR, CosineAnnealingLR, SequentialLR and others."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any

from torchstone.microtorch.optim.cycles import (
    CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts,
)
from torchstone.microtorch.optim.cycles import CyclicLR as CyclicLR
from torchstone.microtorch.optim.cycles import OneCycleLR as OneCycleLR
from torchstone.microtorch.optim.optimizer import Optimizer
from torchstone.microtorch.optim.plateau import ReduceLROnPlateau as ReduceLROnPlateau
from torchstone.microtorch.optim.schedule import Chainable
from torchstone.microtorch.optim.schedule import LRScheduler as LRScheduler

_LRScheduler = LRScheduler


class LambdaLR(LRScheduler):
    """Schedule that multiplies the initial learning rate by a function of the step."""

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        groups = optimizer.param_groups
        self.lr_lambdas = [lr_lambda] * len(groups) if callable(lr_lambda) else list(lr_lambda)
        if len(self.lr_lambdas) != len(groups):
            raise ValueError(f"Expected {len(groups)} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the learning rates given by the functions."""
        pairs = zip(self.base_lrs, self.lr_lambdas, strict=True)
        return [base * function(self.last_epoch) for base, function in pairs]

    def state_dict(self) -> dict[str, Any]:
        """Return the state without the optimizer; functions become None, objects a dictionary."""
        states = [
            None if isinstance(each, FunctionType) else dict(vars(each)) for each in self.lr_lambdas
        ]
        return {**super().state_dict(), "lr_lambdas": states}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state returned by ``state_dict``."""
        for each, state in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=True):
            if state is not None:
                vars(each).update(state)
        super().load_state_dict({**state_dict, "lr_lambdas": self.lr_lambdas})


class MultiplicativeLR(LambdaLR):
    """Schedule that multiplies the previous learning rate by a function of the step."""

    def get_lr(self) -> list[float]:
        """Return the learning rates given by the functions."""
        rates = [group["lr"] for group in self.optimizer.param_groups]
        if self._is_initial:
            return rates
        pairs = zip(rates, self.lr_lambdas, strict=True)
        return [rate * function(self.last_epoch) for rate, function in pairs]


class StepLR(Chainable):
    """Schedule that multiplies the learning rate by ``gamma`` every ``step_size`` steps."""

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def factor_at(self, epoch: int) -> float:
        """Return the factor at a step."""
        return self.gamma if epoch and epoch % self.step_size == 0 else 1.0


class MultiStepLR(Chainable):
    """Schedule that multiplies the learning rate by ``gamma`` at each milestone."""

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Iterable[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def factor_at(self, epoch: int) -> float:
        """Return the factor at a step."""
        return self.gamma ** self.milestones[epoch]


class ConstantLR(Chainable):
    """Schedule with the factor ``factor`` for the first ``total_iters`` steps."""

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1.0 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 <= factor <= 1.0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def factor_at(self, epoch: int) -> float:
        """Return the factor at a step."""
        if epoch == 0:
            return self.factor
        return 1.0 / self.factor if epoch == self.total_iters else 1.0


class LinearLR(Chainable):
    """Schedule that interpolates linearly from one factor to another."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1.0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal "
                "to 1."
            )
        if not 0 <= end_factor <= 1.0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor = start_factor, end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def factor_at(self, epoch: int) -> float:
        """Return the factor at a step."""
        if epoch == 0:
            return self.start_factor
        if self._is_initial or epoch > self.total_iters:
            return 1.0
        return self._factor_so_far(epoch) / self._factor_so_far(epoch - 1)

    def _factor_so_far(self, epoch: int) -> float:
        share = min(epoch, self.total_iters) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * share


class ExponentialLR(Chainable):
    """Schedule that multiplies the learning rate by ``gamma`` at each step."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def factor_at(self, epoch: int) -> float:
        """Return the factor at a step."""
        return self.gamma if epoch and not self._is_initial else 1.0


class PolynomialLR(Chainable):
    """Polynomial decay to zero in ``total_iters`` steps."""

    def __init__(
        self,
        optimizer: Optimizer,
        total_iters: int = 5,
        power: float = 1.0,
        last_epoch: int = -1,
    ) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def factor_at(self, epoch: int) -> float:
        """Return the factor at a step."""
        if self._is_initial or not 0 < epoch <= self.total_iters:
            return 1.0
        left = self.total_iters - epoch
        return float((left / (left + 1)) ** self.power)


class CosineAnnealingLR(LRScheduler):
    """Cosine annealing: half a cosine from the initial learning rate to ``eta_min``, and back.

    Source:
        Loshchilov and Hutter, SGDR (2017), eq. 5.
    """

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Compute the learning rates recursively from the current ones."""
        rates = [group["lr"] for group in self.optimizer.param_groups]
        if self._is_initial:
            return rates
        now, before = self._share(self.last_epoch), self._share(self.last_epoch - 1)
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            # At the minimum the recursive factor is undefined, so use the closed form.
            pairs = zip(rates, self.base_lrs, strict=True)
            return [rate + (base - self.eta_min) * now for rate, base in pairs]
        return [self.eta_min + (rate - self.eta_min) * now / before for rate in rates]

    def _get_closed_form_lr(self) -> list[float]:
        """Compute the learning rates of this step in closed form."""
        share = self._share(self.last_epoch)
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]

    def _share(self, epoch: int) -> float:
        return (1 + math.cos(math.pi * epoch / self.T_max)) / 2


class _Several(LRScheduler):
    """Base class of schedules composed of other schedules."""

    def _take(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None) -> None:
        name = type(self).__name__
        if not schedulers:
            raise ValueError(f"{name} expects at least one scheduler, but got no scheduler.")
        self.optimizer = optimizer or schedulers[0].optimizer
        self._schedulers = list(schedulers)
        for number, each in enumerate(schedulers):
            if isinstance(each, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it requires "
                    "additional kwargs to be specified when calling `step`, but got one at index "
                    f"{number} in the given schedulers sequence."
                )
            if each.optimizer is not self.optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got "
                    f"scheduler {type(each).__name__} at index {number} has {each.optimizer}, "
                    f"which is different from {type(self.optimizer).__name__}."
                )

    def state_dict(self) -> dict[str, Any]:
        """Return the states of all schedules."""
        own = {k: v for k, v in super().state_dict().items() if k != "_schedulers"}
        return {**own, "_schedulers": [each.state_dict() for each in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state returned by ``state_dict``."""
        own = {k: v for k, v in state_dict.items() if k != "_schedulers"}
        self.__dict__.update(own)
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(state)


class SequentialLR(_Several):
    """Sequence of schedules, switched at milestones."""

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[LRScheduler],
        milestones: Sequence[int],
        last_epoch: int = -1,
    ) -> None:
        self._take(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than "
                f"the number of milestone points, but got number of schedulers {len(schedulers)} "
                f"and the number of milestones to be equal to {len(milestones)}"
            )
        self._milestones, self.last_epoch = list(milestones), last_epoch + 1
        # Each schedule has made its initial step; only that of the first schedule counts.
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        for scheduler in schedulers:
            scheduler.last_epoch -= 1
        first = schedulers[bisect_right(self._milestones, 0)]
        first._begin()
        self._last_lr = first.get_last_lr()

    def step(self, epoch: int | None = None) -> None:
        """Step to the next epoch."""
        self.last_epoch += 1
        number = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[number]
        if number and self._milestones[number - 1] == self.last_epoch:
            scheduler.step(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Several):
    """Chain of schedules, each of which multiplies the learning rate at each step."""

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        self._take(schedulers, optimizer)
        self._last_lr = schedulers[-1].get_last_lr()

    def step(self, epoch: int | None = None) -> None:
        """Step all schedulers."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self._schedulers[-1].get_last_lr()
