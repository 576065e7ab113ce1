import itertools

import torch


class Rates:
    def __init__(self, optimizer, steps, warmup, floor):
        self.groups, self.steps, self.warmup, self.floor = (
            optimizer.param_groups,
            steps,
            warmup,
            floor,
        )
        for group in self.groups:
            if "base_lr" not in group:
                group["base_lr"] = group["lr"]

    def set(self, t):
        if t < self.warmup:
            factor = (t + 1) / self.warmup
        else:
            factor = 1 - (t - self.warmup) / (self.steps - self.warmup)
            factor = factor if factor > self.floor else self.floor
        for group in self.groups:
            group["lr"] = group["base_lr"] * factor
        return [group["lr"] for group in self.groups]


def fit(
    model,
    loader,
    optimizer,
    loss_fn,
    *,
    steps,
    warmup,
    max_value,
    accumulate,
    floor=0.0,
    start=0,
    stop=None,
):
    rates = Rates(optimizer, steps, warmup, floor)
    history = {"loss": [], "clipped": [], "lr": [], "skipped": []}
    epochs = itertools.chain.from_iterable(itertools.repeat(loader))
    model.train()
    t = start
    while t < (steps if stop is None else stop):
        history["lr"].append(rates.set(t))
        model.zero_grad()
        total = 0.0
        for _ in range(accumulate):
            x, y = next(epochs)
            loss = loss_fn(model(x), y)
            loss.backward()
            total += loss.item()
        history["loss"].append(total / accumulate)
        grads = [p.grad for p in model.parameters()]
        flat = torch.cat([grad.flatten() for grad in grads]) / accumulate
        history["clipped"].append((flat.abs() > max_value).double().mean().item())
        if torch.isnan(flat).any():
            history["skipped"].append(t)
        else:
            pieces = flat.clamp(-max_value, max_value).split([grad.numel() for grad in grads])
            for grad, piece in zip(grads, pieces, strict=True):
                grad.copy_(piece.view_as(grad))
            optimizer.step()
        t += 1
    return history
