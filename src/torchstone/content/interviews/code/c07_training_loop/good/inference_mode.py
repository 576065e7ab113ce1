import contextlib

import torch


@contextlib.contextmanager
def kept_mode(model):
    before = model.training
    try:
        yield
    finally:
        model.train(before)


class Mean:
    def __init__(self):
        self.total = torch.zeros((), dtype=torch.float64)
        self.count = 0

    def add(self, loss, count):
        self.total += loss.detach().double() * count
        self.count += count

    def value(self):
        return (self.total / self.count).item()


def fit(model, train_loader, val_loader, optimizer, loss_fn, epochs):
    history = {"train_loss": [], "val_loss": [], "best_epoch": None, "best_state": None}
    with kept_mode(model):
        for epoch in range(epochs):
            model.train()
            mean = Mean()
            for batch, target in train_loader:
                model.zero_grad()
                loss = loss_fn(model(batch), target)
                loss.backward()
                optimizer.step()
                mean.add(loss, batch.size(0))
            history["train_loss"].append(mean.value())
            model.eval()
            mean = Mean()
            with torch.inference_mode():
                for batch, target in val_loader:
                    mean.add(loss_fn(model(batch), target), batch.size(0))
            history["val_loss"].append(mean.value())
            if min(history["val_loss"]) == history["val_loss"][-1]:
                if history["val_loss"].index(history["val_loss"][-1]) == epoch:
                    history["best_epoch"] = epoch
                    history["best_state"] = {
                        name: tensor.detach().clone() for name, tensor in model.state_dict().items()
                    }
    return history
