import copy
import math

import torch


class Trainer:
    def __init__(self, model, optimizer, loss_fn, accumulate):
        self.model, self.optimizer, self.loss_fn = model, optimizer, loss_fn
        self.accumulate = accumulate
        optimizer.zero_grad(set_to_none=True)

    def update(self, samples):
        """Gradients of sums have been added up; the step wants that of the mean."""
        for group in self.optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    parameter.grad /= samples
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)

    def epoch(self, loader):
        self.model.train()
        total, seen, pending, waiting = 0.0, 0, 0, 0
        for x, y in loader:
            summed = self.loss_fn(self.model(x), y) * x.shape[0]
            summed.backward()
            total += summed.item()
            seen += x.shape[0]
            pending += x.shape[0]
            waiting += 1
            if waiting == self.accumulate:
                self.update(pending)
                pending = waiting = 0
        if waiting:
            self.update(pending)
        return total / seen

    def validate(self, loader):
        self.model.eval()
        losses, sizes = [], []
        with torch.inference_mode():
            for x, y in loader:
                losses.append(self.loss_fn(self.model(x), y).item())
                sizes.append(len(y))
        return sum(a * b for a, b in zip(losses, sizes, strict=True)) / sum(sizes)


def fit(model, train_loader, val_loader, optimizer, loss_fn, epochs, *, accumulate, patience=None):
    mode = model.training
    trainer = Trainer(model, optimizer, loss_fn, accumulate)
    train_losses, val_losses = [], []
    best, best_epoch, best_state, bad = math.inf, None, None, 0
    while len(val_losses) < epochs and (patience is None or bad < patience):
        train_losses.append(trainer.epoch(train_loader))
        val_losses.append(trainer.validate(val_loader))
        bad += 1
        if val_losses[-1] < best:
            best, best_epoch, bad = val_losses[-1], len(val_losses) - 1, 0
            best_state = copy.deepcopy(model.state_dict())
    if best_state is not None:
        model.load_state_dict(best_state)
    model.train(mode)
    return {
        "train_loss": train_losses,
        "val_loss": val_losses,
        "best_epoch": best_epoch,
        "stopped": len(val_losses) < epochs,
    }
