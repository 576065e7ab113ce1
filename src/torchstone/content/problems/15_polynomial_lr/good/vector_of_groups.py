"""All groups at once, as a float64 tensor."""

import torch


class PolynomialLR:
    def __init__(
        self, optimizer, total_iters, power=1.0, end_lr=0.0, warmup_iters=0, last_epoch=-1
    ):
        if not isinstance(optimizer, torch.optim.Optimizer):
            raise TypeError("optimizer")
        if total_iters <= 0 or power < 0 or end_lr < 0:
            raise ValueError("total_iters, power or end_lr")
        if not -1 < warmup_iters < total_iters:
            raise ValueError("warmup_iters")
        bases = [group.get("initial_lr", group["lr"]) for group in optimizer.param_groups]
        if last_epoch != -1 and any("initial_lr" not in g for g in optimizer.param_groups):
            raise KeyError("initial_lr")
        for group, base in zip(optimizer.param_groups, bases, strict=True):
            group["initial_lr"] = float(base)
        self.optimizer = optimizer
        self.bases = torch.tensor([float(base) for base in bases], dtype=torch.float64)
        self.arguments = (total_iters, power, end_lr, warmup_iters)
        self.last_epoch = last_epoch
        self.step()

    @torch.no_grad()
    def step(self):
        self.last_epoch += 1
        self.compute()
        for group, rate in zip(self.optimizer.param_groups, self.rates, strict=True):
            if isinstance(group["lr"], torch.Tensor):
                group["lr"].copy_(rate)
            else:
                group["lr"] = rate.item()

    def compute(self):
        total, power, end, warmup = self.arguments
        t = min(self.last_epoch, total)
        if t < warmup:
            self.rates = self.bases * (t + 1) / (warmup + 1)
        else:
            factor = (1 - (t - warmup) / (total - warmup)) ** power
            self.rates = torch.lerp(torch.full_like(self.bases, end), self.bases, factor)

    def get_last_lr(self):
        return self.rates.tolist()

    def state_dict(self):
        return {
            "arguments": list(self.arguments),
            "bases": self.bases.tolist(),
            "last_epoch": self.last_epoch,
        }

    def load_state_dict(self, state):
        self.arguments = tuple(state["arguments"])
        self.bases = torch.tensor(state["bases"], dtype=torch.float64)
        self.last_epoch = state["last_epoch"]
        self.compute()
