"""Cyclic learning rate schedulers: CosineAnnealingWarmRestarts, CyclicLR, OneCycleLR."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from torchstone.microtorch.optim.optimizer import Group, Optimizer
from torchstone.microtorch.optim.schedule import LRScheduler


class CosineAnnealingWarmRestarts(LRScheduler):
    """Cosine annealing with warm restarts; each cycle is ``T_mult`` times longer than the last.

    Source:
        Loshchilov and Hutter, SGDR (2017), eq. 5.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if not isinstance(T_0, int) or T_0 <= 0:
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if not isinstance(T_mult, int) or T_mult < 1:
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0 = self.T_i = T_0
        self.T_mult, self.eta_min = T_mult, eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Compute the learning rates of this step."""
        share = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Step to the next epoch, or to the given one, which may be fractional."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is not None:
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self.T_cur, self.T_i = epoch, self.T_0
            self.last_epoch = math.floor(epoch)
        else:
            self.T_cur, self.last_epoch = self.T_cur + 1, self.last_epoch + 1
        while self.T_cur >= self.T_i:
            self.T_cur, self.T_i = self.T_cur - self.T_i, self.T_i * self.T_mult
        self.set_rates(self.get_lr())


class CyclicLR(LRScheduler):
    """Schedule that cycles the learning rate linearly, and the momentum inversely.

    Args:
        optimizer: The optimizer.
        base_lr: The lower learning rate, for all groups or for each.
        max_lr: The upper learning rate, likewise.
        step_size_up: The number of steps of the increasing half.
        step_size_down: The number of steps of the decreasing half; ``step_size_up`` by default.
        mode: How the amplitude changes: not at all (``triangular``), by half with each cycle
            (``triangular2``), or by ``gamma`` with each step (``exp_range``).
        gamma: The factor of ``exp_range``.
        scale_fn: Returns the amplitude, instead of ``mode``, for the cycle number, from 1 on, or
            for the step number.
        scale_mode: ``cycle`` or ``iterations``: the argument of ``scale_fn``.
        cycle_momentum: Whether the momentum is cycled.
        base_momentum: The lower momentum.
        max_momentum: The upper momentum.
        last_epoch: The number of steps made so far.

    Source:
        Smith, Cyclical learning rates for training neural networks (2017).
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | Sequence[float],
        max_lr: float | Sequence[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        _check_momentum(optimizer, cycle_momentum)
        base_lrs = for_each(optimizer, "base_lr", base_lr)
        self.max_lrs = for_each(optimizer, "max_lr", max_lr)
        for group, lr in zip(optimizer.param_groups, base_lrs, strict=True):
            if last_epoch == -1:
                group["lr"] = lr
        step_size_down = step_size_up if step_size_down is None else step_size_down
        self.total_size = float(step_size_up + step_size_down)
        self.step_ratio = step_size_up / self.total_size
        self.mode, self.gamma, self.cycle_momentum = mode, gamma, cycle_momentum
        own = "iterations" if mode == "exp_range" else "cycle"
        self.scale_mode = own if scale_fn is None else scale_mode
        self._scale_fn_custom = scale_fn
        self.base_momentums = for_each(optimizer, "base_momentum", base_momentum)
        self.max_momentums = for_each(optimizer, "max_momentum", max_momentum)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, number: float) -> float:
        """Return the amplitude for a cycle or a step."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(number)
        if self.mode == "triangular2":
            return 1 / 2.0 ** (number - 1)
        return float(self.gamma**number) if self.mode == "exp_range" else 1.0

    def get_lr(self) -> list[float]:
        """Compute the learning rates of this step, and set the momenta."""
        cycles, place = divmod(self.last_epoch / self.total_size, 1)
        height = place / self.step_ratio
        if place > self.step_ratio:
            height = (place - 1) / (self.step_ratio - 1)
        height *= self.scale_fn(cycles + 1 if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            momenta = zip(self.base_momentums, self.max_momentums, strict=True)
            for group, (low, high) in zip(self.optimizer.param_groups, momenta, strict=True):
                set_momentum(group, high - (high - low) * height)
        pairs = zip(self.base_lrs, self.max_lrs, strict=True)
        return [low + (high - low) * height for low, high in pairs]

    def state_dict(self) -> dict[str, Any]:
        """Return the state without the optimizer and ``scale_fn``."""
        return {**super().state_dict(), "_scale_fn_custom": None}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state returned by ``state_dict``."""
        super().load_state_dict({**state_dict, "_scale_fn_custom": self._scale_fn_custom})


class OneCycleLR(LRScheduler):
    """1cycle schedule: up to ``max_lr``, then down to almost zero; the momentum moves inversely.

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
        counts: dict[str, Any] = {"total_steps": total_steps}
        if total_steps is None:
            counts = {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
        for name, count in counts.items():
            if not isinstance(count, int) or count <= 0:
                raise ValueError(f"Expected positive integer {name}, but got {count}")
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        _check_momentum(optimizer, cycle_momentum)
        self.total_steps = math.prod(counts.values())
        self._anneal_func_type, self.cycle_momentum = anneal_strategy, cycle_momentum
        turn = pct_start * self.total_steps - 1
        down = 2 * turn if three_phase else self.total_steps - 1
        self._ends = [turn, down, self.total_steps - 1] if three_phase else [turn, down]
        self._points = []
        peaks = for_each(optimizer, "max_lr", max_lr)
        for group, peak in zip(optimizer.param_groups, peaks, strict=True):
            first = peak / div_factor
            last = first / final_div_factor
            rates = [first, peak, first, last] if three_phase else [first, peak, last]
            if last_epoch == -1:
                group["lr"] = first
            momenta = [max_momentum, base_momentum, max_momentum, max_momentum]
            self._points.append((rates, momenta))
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Compute the learning rates of this step, and set the momenta."""
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is "
                f"{self.total_steps}"
            )
        found = []
        for group, (rates, momenta) in zip(self.optimizer.param_groups, self._points, strict=True):
            found.append(self._between(rates))
            if self.cycle_momentum:
                set_momentum(group, self._between(momenta))
        return found

    def _between(self, points: Sequence[float]) -> float:
        """Interpolate between the two end points of the current phase."""
        last = len(self._ends) - 1
        phase = next((n for n, end in enumerate(self._ends) if self.last_epoch <= end), last)
        began, end = ([0.0, *self._ends])[phase : phase + 2]
        share = (self.last_epoch - began) / (end - began)
        if self._anneal_func_type == "cos":
            share = (1 - math.cos(math.pi * share)) / 2
        return points[phase] + (points[phase + 1] - points[phase]) * share


def _check_momentum(optimizer: Optimizer, is_cycled: bool) -> None:
    if is_cycled and not {"momentum", "betas"} & optimizer.defaults.keys():
        raise ValueError(
            "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
        )


def set_momentum(group: Group, momentum: float) -> None:
    """Set the momentum of a group, which may be called ``momentum`` or ``betas``."""
    if "betas" in group:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


def for_each(optimizer: Optimizer, name: str, value: float | Sequence[float]) -> list[float]:
    """Return one value per group."""
    count = len(optimizer.param_groups)
    values: list[Any] = list(value) if isinstance(value, list | tuple) else [value] * count
    if len(values) != count:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(values)} "
            f"values, param_groups has {count}."
        )
    return values
