"""A table of weights, made once: the rate is a mean of the base and the end."""

from torch import Tensor
from torch.optim import Optimizer


class PolynomialLR:
    def __init__(
        self, optimizer, total_iters, power=1.0, end_lr=0.0, warmup_iters=0, last_epoch=-1
    ):
        if not isinstance(optimizer, Optimizer):
            raise TypeError("no optimizer")
        for is_wrong in (total_iters < 1, power < 0, end_lr < 0):
            if is_wrong:
                raise ValueError("total_iters must be positive, power and end_lr not negative")
        if warmup_iters not in range(total_iters):
            raise ValueError("warmup_iters must be from 0 to total_iters - 1")
        if last_epoch >= 0:
            for group in optimizer.param_groups:
                group["initial_lr"]
        self.optimizer = optimizer
        self.plan = [total_iters, power, end_lr, warmup_iters]
        self.bases = []
        for group in optimizer.param_groups:
            if "initial_lr" not in group:
                # A number has no memory to share with a tensor.
                group["initial_lr"] = float(group["lr"])
            self.bases.append(float(group["initial_lr"]))
        self.table = self.make_table()
        self.last_epoch = last_epoch + 1
        self.last = self.rates()
        self.write()

    def make_table(self):
        total, power, _, warmup = self.plan
        length = total - warmup
        return [((length - k) / length) ** power for k in range(length + 1)]

    def rates(self):
        total, _, end, warmup = self.plan
        if self.last_epoch < warmup:
            return [(self.last_epoch + 1) * base / (warmup + 1) for base in self.bases]
        share = self.table[min(self.last_epoch, total) - warmup]
        return [base * share + end * (1 - share) for base in self.bases]

    def write(self):
        for group, rate in zip(self.optimizer.param_groups, self.last, strict=True):
            if isinstance(group["lr"], Tensor):
                group["lr"][...] = rate
            else:
                group["lr"] = rate

    def step(self):
        self.last_epoch += 1
        self.last = self.rates()
        self.write()

    def get_last_lr(self):
        return self.last

    def state_dict(self):
        return {"plan": list(self.plan), "bases": list(self.bases), "last_epoch": self.last_epoch}

    def load_state_dict(self, state):
        self.plan, self.bases = list(state["plan"]), list(state["bases"])
        self.last_epoch = state["last_epoch"]
        self.table = self.make_table()
        self.last = self.rates()
