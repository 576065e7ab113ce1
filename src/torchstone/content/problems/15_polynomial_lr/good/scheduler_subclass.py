from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler


class PolynomialLR(LRScheduler):
    """Let the base class count, store the bases and write; only the formula is ours."""

    def __init__(
        self, optimizer, total_iters, power=1.0, end_lr=0.0, warmup_iters=0, last_epoch=-1
    ):
        if not isinstance(optimizer, Optimizer):
            raise TypeError("PolynomialLR needs an optimizer")
        if total_iters <= 0:
            raise ValueError(f"total_iters must be positive; got {total_iters}")
        if power < 0 or end_lr < 0:
            raise ValueError("power and end_lr must not be negative")
        if warmup_iters < 0 or warmup_iters >= total_iters:
            raise ValueError("the warm-up must end before the schedule")
        self.total_iters, self.power, self.end_lr = total_iters, power, end_lr
        self.warmup_iters = warmup_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        t, warmup = self.last_epoch, self.warmup_iters
        if t < warmup:
            return [base * ((t + 1) / (warmup + 1)) for base in self.base_lrs]
        gone = (min(t, self.total_iters) - warmup) / (self.total_iters - warmup)
        factor = (1.0 - gone) ** self.power
        return [self.end_lr + (base - self.end_lr) * factor for base in self.base_lrs]
