# verdict: WA property
# group: tensor
# en: A number replaced the tensor of the rate; whoever holds the tensor sees no new rate.
# zh: 用数值换掉了存放学习率的张量；持有该张量的一方再也看不到新值。
import torch
from torch import Tensor


class PolynomialLR:
    def __init__(
        self,
        optimizer: torch.optim.Optimizer,
        total_iters: int,
        power: float = 1.0,
        end_lr: float = 0.0,
        warmup_iters: int = 0,
        last_epoch: int = -1,
    ) -> None:
        if not isinstance(optimizer, torch.optim.Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an optimizer")
        if total_iters <= 0 or power < 0 or end_lr < 0 or not 0 <= warmup_iters < total_iters:
            raise ValueError("need total_iters > warmup_iters >= 0, power >= 0 and end_lr >= 0")
        groups = optimizer.param_groups
        if last_epoch >= 0 and not all("initial_lr" in group for group in groups):
            raise KeyError("initial_lr: load the state of the optimizer before you resume")
        for group in groups:
            lr = group["lr"]
            group.setdefault("initial_lr", lr.clone() if isinstance(lr, Tensor) else lr)
        self.optimizer = optimizer
        self.total_iters, self.warmup_iters = total_iters, warmup_iters
        self.power, self.end_lr = power, end_lr
        self.base_lrs = [float(group["initial_lr"]) for group in groups]
        self.last_epoch = last_epoch
        self.step()

    def _rate(self, base: float) -> float:
        t, n, w = self.last_epoch, self.total_iters, self.warmup_iters
        if t < w:
            return base * (t + 1) / (w + 1)
        share = (n - min(t, n)) / (n - w)
        return self.end_lr + (base - self.end_lr) * share**self.power

    def step(self) -> None:
        self.last_epoch += 1
        self._last_lr = [self._rate(base) for base in self.base_lrs]
        # Not a list of groups kept from before: loading a state puts new dicts in their place.
        for group, lr in zip(self.optimizer.param_groups, self._last_lr, strict=True):
            group["lr"] = lr

    def get_last_lr(self) -> list[float]:
        return list(self._last_lr)

    def state_dict(self) -> dict:
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state: dict) -> None:
        vars(self).update(state)
