import copy
import math

import torch


def run(model, loader, loss_fn, optimizer=None):
    """Go over a loader once; train if there is an optimizer."""
    model.train(optimizer is not None)
    sums, sizes = [], []
    with torch.set_grad_enabled(optimizer is not None):
        for inputs, targets in loader:
            loss = loss_fn(model(inputs), targets)
            if optimizer is not None:
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
            sums.append(loss.detach() * inputs.shape[0])
            sizes.append(inputs.shape[0])
    return float(torch.stack(sums).sum()) / sum(sizes)


def fit(model, train_loader, val_loader, optimizer, loss_fn, epochs):
    mode = model.training
    train_losses, val_losses = [], []
    best = (math.inf, None, None)
    try:
        for epoch in range(epochs):
            train_losses.append(run(model, train_loader, loss_fn, optimizer))
            val_losses.append(run(model, val_loader, loss_fn))
            if val_losses[-1] < best[0]:
                best = (val_losses[-1], epoch, copy.deepcopy(model.state_dict()))
    finally:
        model.train(mode)
    return {
        "train_loss": train_losses,
        "val_loss": val_losses,
        "best_epoch": best[1],
        "best_state": best[2],
    }
