import math

import torch
from torch.optim.lr_scheduler import LambdaLR


def make_factor(steps, warmup):
    def factor(t):
        if t < warmup:
            return (t + 1) / warmup
        progress = (t - warmup) / max(steps - warmup, 1)
        return 0.5 * (1.0 + math.cos(math.pi * progress))

    return factor


class Trainer:
    """Gradients add up in .grad; `update` divides them by the number of batches seen."""

    def __init__(self, model, optimizer, factor, max_norm):
        self.model, self.optimizer, self.max_norm = model, optimizer, max_norm
        self.scheduler = LambdaLR(optimizer, factor)
        self.losses = []
        self.history = {"loss": [], "norm": [], "lr": [], "skipped": []}
        optimizer.zero_grad()

    def update(self):
        count = len(self.losses)
        gradients = [p.grad.div_(count) for p in self.model.parameters() if p.grad is not None]
        norm = torch.sqrt(sum((gradient**2).sum() for gradient in gradients)).item()
        self.history["loss"].append(sum(self.losses) / count)
        self.history["norm"].append(norm)
        self.history["lr"].append(self.scheduler.get_last_lr())
        if math.isfinite(norm):
            for gradient in gradients:
                gradient.mul_(min(1.0, self.max_norm / (norm + 1e-6)))
            self.optimizer.step()
        else:
            self.history["skipped"].append(len(self.history["norm"]) - 1)
        self.optimizer.zero_grad()
        self.losses.clear()
        self.optimizer._opt_called = True  # a skipped step is no mistake
        self.scheduler.step()


def fit(model, loader, optimizer, loss_fn, *, steps, warmup, max_norm, accumulate):
    trainer = Trainer(model, optimizer, make_factor(steps, warmup), max_norm)
    model.train()
    while len(trainer.history["norm"]) < steps:
        for x, y in loader:
            loss = loss_fn(model(x), y)
            loss.backward()
            trainer.losses.append(loss.item())
            if len(trainer.losses) == accumulate:
                trainer.update()
                if len(trainer.history["norm"]) == steps:
                    break
        if trainer.losses:
            trainer.update()
    return trainer.history
