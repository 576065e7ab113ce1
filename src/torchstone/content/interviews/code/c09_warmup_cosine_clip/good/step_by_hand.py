import math

import torch


class Schedule:
    def __init__(self, optimizer, steps, warmup):
        self.groups = optimizer.param_groups
        self.start = [group["lr"] for group in self.groups]
        self.steps, self.warmup = steps, warmup

    def set(self, t):
        if t < self.warmup:
            share = (t + 1) / self.warmup
        else:
            share = math.cos(math.pi / 2 * (t - self.warmup) / (self.steps - self.warmup)) ** 2
        for group, start in zip(self.groups, self.start, strict=False):
            group["lr"] = start * share
        return [group["lr"] for group in self.groups]


def fit(model, loader, optimizer, loss_fn, *, steps, warmup, max_norm, accumulate):
    schedule = Schedule(optimizer, steps, warmup)
    loss_of, norm_of, lr_of, skipped = [], [], [], []
    model.train()
    t = 0
    while t < steps:
        epoch = list(loader)
        for first in range(0, len(epoch), accumulate):
            if t == steps:
                break
            part = epoch[first : first + accumulate]
            lr_of.append(schedule.set(t))
            model.zero_grad()
            total = 0.0
            for x, y in part:
                loss = loss_fn(model(x), y) / len(part)
                loss.backward()
                total += float(loss.detach())
            loss_of.append(total)
            grads = [p.grad for p in model.parameters() if p.grad is not None]
            flat = torch.cat([grad.flatten() for grad in grads])
            norm = float(torch.linalg.vector_norm(flat))
            norm_of.append(norm)
            if math.isnan(norm) or math.isinf(norm):
                skipped.append(t)
            else:
                if norm + 1e-6 > max_norm:
                    torch._foreach_mul_(grads, max_norm / (norm + 1e-6))
                optimizer.step()
            t += 1
    return {"loss": loss_of, "norm": norm_of, "lr": lr_of, "skipped": skipped}
