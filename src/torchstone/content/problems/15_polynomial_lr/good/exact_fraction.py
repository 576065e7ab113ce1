"""Rates as exact fractions, rounded once when they are written."""

from fractions import Fraction

import torch


class PolynomialLR:
    def __init__(
        self, optimizer, total_iters, power=1.0, end_lr=0.0, warmup_iters=0, last_epoch=-1
    ):
        if not isinstance(optimizer, torch.optim.Optimizer):
            raise TypeError(type(optimizer).__name__)
        if min(total_iters - 1, power, end_lr, warmup_iters, total_iters - 1 - warmup_iters) < 0:
            raise ValueError("total_iters, power, end_lr or warmup_iters is out of range")
        missing = [g for g in optimizer.param_groups if "initial_lr" not in g]
        if missing and last_epoch > -1:
            raise KeyError("initial_lr")
        for group in missing:
            group["initial_lr"] = torch.clone(x) if torch.is_tensor(x := group["lr"]) else x
        self.optimizer = optimizer
        self.settings = {"N": total_iters, "p": power, "e": end_lr, "W": warmup_iters}
        self.settings["b"] = [float(group["initial_lr"]) for group in optimizer.param_groups]
        self.move_to(last_epoch + 1)
        self.write()

    def move_to(self, t):
        self.last_epoch = t
        self.now = [self.rate(t, Fraction(base)) for base in self.settings["b"]]

    def rate(self, t, base):
        total, warmup = self.settings["N"], self.settings["W"]
        if t < warmup:
            return float(base * Fraction(t + 1, warmup + 1))
        share = Fraction(total - min(t, total), total - warmup)
        end, power = Fraction(self.settings["e"]), self.settings["p"]
        if power == int(power):
            factor = share ** int(power)
        else:
            factor = Fraction(float(share) ** power)
        return float(end + (base - end) * factor)

    def write(self):
        for group, rate in zip(self.optimizer.param_groups, self.now, strict=True):
            if torch.is_tensor(group["lr"]):
                with torch.no_grad():
                    group["lr"].fill_(rate)
            else:
                group["lr"] = rate

    def step(self):
        self.move_to(self.last_epoch + 1)
        self.write()

    def get_last_lr(self):
        return self.now[:]

    def state_dict(self):
        return {"t": self.last_epoch, **self.settings}

    def load_state_dict(self, state):
        self.settings = {name: state[name] for name in ("N", "p", "e", "W", "b")}
        self.move_to(state["t"])
        # The optimizer may load its own state before or after; then it holds the same rates.
