"""A schedule of factors by exp and log, apart from the class that applies it."""

import math
from dataclasses import asdict, dataclass

import torch
from torch.optim import Optimizer


@dataclass
class Schedule:
    total_iters: int
    power: float
    end_lr: float
    warmup_iters: int

    def __post_init__(self):
        if self.total_iters <= 0 or not 0 <= self.warmup_iters < self.total_iters:
            raise ValueError("0 <= warmup_iters < total_iters must hold")
        if self.power < 0.0 or self.end_lr < 0.0:
            raise ValueError("power and end_lr must be at least 0")

    def at(self, t, base):
        if t < self.warmup_iters:
            return base - base * (self.warmup_iters - t) / (self.warmup_iters + 1)
        if self.power == 0:
            return base
        left = self.total_iters - t
        if left <= 0:
            return self.end_lr
        log_share = math.log(left) - math.log(self.total_iters - self.warmup_iters)
        return self.end_lr + (base - self.end_lr) * math.exp(self.power * log_share)


class PolynomialLR:
    def __init__(
        self, optimizer, total_iters, power=1.0, end_lr=0.0, warmup_iters=0, last_epoch=-1
    ):
        if not isinstance(optimizer, Optimizer):
            raise TypeError("the first argument must be an optimizer")
        self._schedule = Schedule(total_iters, power, end_lr, warmup_iters)
        if last_epoch >= 0:
            for number, group in enumerate(optimizer.param_groups):
                if "initial_lr" not in group:
                    raise KeyError(f"param_groups[{number}] has no initial_lr")
        self.optimizer = optimizer
        self._bases = [self._base_of(group) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self.step()

    @staticmethod
    def _base_of(group):
        if "initial_lr" not in group:
            is_tensor = isinstance(group["lr"], torch.Tensor)
            group["initial_lr"] = group["lr"].item() if is_tensor else group["lr"]
        return float(group["initial_lr"])

    def step(self):
        self.last_epoch += 1
        for group, rate in zip(self.optimizer.param_groups, self.get_last_lr(), strict=True):
            if isinstance(group["lr"], torch.Tensor):
                group["lr"].data.fill_(rate)
            else:
                group.update(lr=rate)

    def get_last_lr(self):
        # The rate depends on t alone, so it need not be stored.
        return [self._schedule.at(self.last_epoch, base) for base in self._bases]

    def state_dict(self):
        return {
            "schedule": asdict(self._schedule),
            "bases": self._bases,
            "last_epoch": self.last_epoch,
        }

    def load_state_dict(self, state):
        self._schedule = Schedule(**state["schedule"])
        self._bases = list(state["bases"])
        self.last_epoch = state["last_epoch"]
