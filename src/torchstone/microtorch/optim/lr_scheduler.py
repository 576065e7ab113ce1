"""Schedules of the learning rate, under the names of ``torch.optim.lr_scheduler``."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from torchstone.microtorch.optim.optimizer import Optimizer
from torchstone.microtorch.optim.plateau import ReduceLROnPlateau as ReduceLROnPlateau


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
        self.step()

    def factor(self, epoch: int) -> float:
        """Say by what the rate at the beginning is multiplied."""
        raise NotImplementedError

    def get_lr(self) -> list[float]:
        """Say the rates of this step."""
        return [base * self.factor(self.last_epoch) for base in self.base_lrs]

    def closed_form(self) -> list[float]:
        """Say the rates of this step without regard to those that hold."""
        return self.get_lr()

    def get_last_lr(self) -> list[float]:
        """Give the rates that were set last."""
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Go on to the next step, or to one that is named."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        rates = self.get_lr() if epoch is None else self.closed_form()
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = lr
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Give all but the optimiser."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what ``state_dict`` gave."""
        self.__dict__.update(state_dict)


_LRScheduler = LRScheduler


class LambdaLR(LRScheduler):
    """Multiplies by what a function of the step says."""

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
        """Ask the functions."""
        pairs = zip(self.base_lrs, self.lr_lambdas, strict=True)
        return [base * function(self.last_epoch) for base, function in pairs]

    def state_dict(self) -> dict[str, Any]:
        """Give all but the optimiser and the functions."""
        return {key: value for key, value in super().state_dict().items() if key != "lr_lambdas"}


class _Chained(LRScheduler):
    """Multiplies the rate of the step before, so that others may change it, too."""

    def get_lr(self) -> list[float]:
        """Multiply the rates that hold."""
        rates = [group["lr"] for group in self.optimizer.param_groups]
        if self.last_epoch == 0:
            return rates
        return [rate * self.factor(self.last_epoch) for rate in rates]

    def closed_form(self) -> list[float]:
        """Multiply all factors so far."""
        total = math.prod(self.factor(epoch) for epoch in range(1, self.last_epoch + 1))
        return [base * total for base in self.base_lrs]


class MultiplicativeLR(LambdaLR):
    """Multiplies the rate of the step before by what a function says."""

    def get_lr(self) -> list[float]:
        """Ask the functions."""
        rates = [group["lr"] for group in self.optimizer.param_groups]
        if self.last_epoch == 0:
            return rates
        pairs = zip(rates, self.lr_lambdas, strict=True)
        return [rate * function(self.last_epoch) for rate, function in pairs]


class StepLR(_Chained):
    """Multiplies by ``gamma`` every ``step_size`` steps."""

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        """Say the factor of a step."""
        return self.gamma if epoch % self.step_size == 0 else 1.0


class MultiStepLR(_Chained):
    """Multiplies by ``gamma`` at each milestone."""

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Iterable[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        """Say the factor of a step."""
        return self.gamma ** self.milestones[epoch]


class ConstantLR(_Chained):
    """Multiplies by ``factor`` until ``total_iters`` steps were made."""

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1.0 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 <= factor <= 1.0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self._factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Say the rates of this step."""
        rates = [group["lr"] for group in self.optimizer.param_groups]
        if self.last_epoch == 0:
            return [rate * self._factor for rate in rates]
        return [r / self._factor if self.last_epoch == self.total_iters else r for r in rates]

    def closed_form(self) -> list[float]:
        """Multiply while it is time."""
        factor = self._factor if self.last_epoch < self.total_iters else 1.0
        return [base * factor for base in self.base_lrs]


class LinearLR(LRScheduler):
    """Goes in a straight line from one factor to another."""

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

    def factor(self, epoch: int) -> float:
        """Say the factor of a step."""
        share = min(epoch, self.total_iters) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * share


class ExponentialLR(_Chained):
    """Multiplies by ``gamma`` at each step."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        """Say the factor of a step."""
        return self.gamma


class CosineAnnealingLR(LRScheduler):
    """Goes along half a cosine from the first rate to ``eta_min``, and back.

    Source:
        Loshchilov and Hutter, SGDR (2017), eq. 5.
    """

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Say the rates of this step."""
        share = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]


class OneCycleLR(LRScheduler):
    """Goes up to ``max_lr`` and down to almost nothing, and the momentum the other way.

    Source:
        Smith and Topin, Super-convergence (2018).
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | Sequence[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float = 0.85,
        max_momentum: float = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self.total_steps = total_steps or (epochs or 0) * (steps_per_epoch or 0)
        self.anneal_strategy, self.cycle_momentum = anneal_strategy, cycle_momentum
        turn = pct_start * self.total_steps - 1
        down = 2 * turn if three_phase else self.total_steps - 1
        self._ends = [turn, down, self.total_steps - 1] if three_phase else [turn, down]
        groups = optimizer.param_groups
        peaks = [max_lr] * len(groups) if isinstance(max_lr, int | float) else list(max_lr)
        self._points = []
        for group, peak in zip(groups, peaks, strict=True):
            first = peak / div_factor
            last = first / final_div_factor
            rates = [first, peak, first, last] if three_phase else [first, peak, last]
            if last_epoch == -1:
                group["lr"] = first
            momenta = [max_momentum, base_momentum, max_momentum, max_momentum]
            self._points.append((rates, momenta))
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Say the rates of this step, and set the momenta."""
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is "
                f"{self.total_steps}"
            )
        found = []
        for group, (rates, momenta) in zip(self.optimizer.param_groups, self._points, strict=True):
            found.append(self._between(rates))
            if self.cycle_momentum and "betas" in group:
                group["betas"] = (self._between(momenta), *group["betas"][1:])
            elif self.cycle_momentum:
                group["momentum"] = self._between(momenta)
        return found

    def _between(self, points: Sequence[float]) -> float:
        """Find the place between the two points of this phase."""
        began = 0.0
        for phase, end in enumerate(self._ends):
            if self.last_epoch <= end or phase == len(self._ends) - 1:
                share = (self.last_epoch - began) / (end - began)
                if self.anneal_strategy == "cos":
                    share = (1 - math.cos(math.pi * share)) / 2
                return points[phase] + (points[phase + 1] - points[phase]) * share
            began = end
        raise AssertionError("a cycle has phases")


class SequentialLR(LRScheduler):
    """Follows one schedule after another."""

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[LRScheduler],
        milestones: Sequence[int],
        last_epoch: int = -1,
    ) -> None:
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than "
                f"the number of milestone points, but got number of schedulers {len(schedulers)} "
                f"and the number of milestones to be equal to {len(milestones)}"
            )
        self._schedulers, self._milestones = list(schedulers), list(milestones)
        self.optimizer, self.last_epoch = optimizer, last_epoch + 1
        # Each of them has made its first step; only that of the first one counts.
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        for scheduler in schedulers:
            scheduler.last_epoch -= 1
        schedulers[0].step()
        self._last_lr = schedulers[0].get_last_lr()

    def step(self, epoch: int | None = None) -> None:
        """Go on to the next step."""
        self.last_epoch += 1
        number = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[number]
        if number and self._milestones[number - 1] == self.last_epoch:
            scheduler.step(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()

    def state_dict(self) -> dict[str, Any]:
        """Give the state of all schedules."""
        own = {k: v for k, v in super().state_dict().items() if k != "_schedulers"}
        return {**own, "_schedulers": [each.state_dict() for each in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what ``state_dict`` gave."""
        own = {k: v for k, v in state_dict.items() if k != "_schedulers"}
        self.__dict__.update(own)
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(state)
