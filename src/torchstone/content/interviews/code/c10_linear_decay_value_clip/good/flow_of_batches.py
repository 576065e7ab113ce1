import torch


class Flow:
    """Hands out batches for ever."""

    def __init__(self, loader):
        self.loader, self.epoch = loader, iter(())

    def take(self):
        while True:
            for batch in self.epoch:
                return batch
            self.epoch = iter(self.loader)


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
    flow = Flow(loader)
    losses, shares, rates, skipped = [], [], [], []
    parameters = list(model.parameters())
    num_entries = sum(parameter.numel() for parameter in parameters)
    decay = max(steps - warmup, 1)
    for group in optimizer.param_groups:
        group.setdefault("base_lr", group["lr"])
    model.train(True)
    stop = steps if stop is None else stop
    for t in range(start, stop):
        factor = (t + 1) / warmup if t < warmup else max((steps - t) / decay, floor)
        for group in optimizer.param_groups:
            group["lr"] = factor * group["base_lr"]
        optimizer.zero_grad(set_to_none=False)
        mean = torch.zeros((), dtype=torch.float64)
        for _ in range(accumulate):
            inputs, targets = flow.take()
            loss = loss_fn(model(inputs), targets) / accumulate
            loss.backward()
            mean += loss.detach()
        beyond, has_nan = 0, False
        for parameter in parameters:
            beyond += (parameter.grad.abs() > max_value).sum().item()
            has_nan |= parameter.grad.isnan().any().item()
            parameter.grad.clamp_(min=-max_value, max=max_value)
        if has_nan:
            skipped.append(t)
        else:
            optimizer.step()
        losses.append(mean.item())
        shares.append(beyond / num_entries)
        rates.append([group["lr"] for group in optimizer.param_groups])
    return {"loss": losses, "clipped": shares, "lr": rates, "skipped": skipped}
