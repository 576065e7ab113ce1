"""Trains with folds, weighted samples, averaged weights, and a checkpoint it goes on from."""

import copy
import io

import numpy as np
import torch
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn
from torch.utils.data import DataLoader, Dataset, Subset, SubsetRandomSampler, WeightedRandomSampler


class Table(Dataset):
    def __init__(self, n=200, seed=0):
        g = np.random.default_rng(seed)
        self.x = g.standard_normal((n, 6)).astype(np.float32)
        self.y = (self.x[:, 0] + self.x[:, 1] ** 2 > 1.4).astype(np.int64)

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, idx):
        return {"x": self.x[idx], "y": self.y[idx], "meta": {"id": idx, "name": f"row{idx}"}}


class EarlyStopping:
    def __init__(self, patience=1):
        self.patience, self.counter, self.best, self.state = patience, 0, None, None

    def __call__(self, loss, model):
        if self.best is None or loss < self.best:
            self.best, self.counter = loss, 0
            self.state = copy.deepcopy(model.state_dict())
        else:
            self.counter += 1
        return self.counter > self.patience


def mlp():
    return nn.Sequential(
        nn.Linear(6, 16),
        nn.BatchNorm1d(16),
        nn.ReLU(inplace=True),
        nn.Dropout(0.2),
        nn.Linear(16, 1),
    )


def run_epoch(model, loader, crit, opt=None):
    total, count = 0.0, 0
    model.train(opt is not None)
    with torch.set_grad_enabled(opt is not None):
        for batch in loader:
            out = model(batch["x"]).squeeze(1)
            loss = crit(out, batch["y"].float())
            if opt is not None:
                opt.zero_grad(set_to_none=True)
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                opt.step()
            total += loss.item() * len(out)
            count += len(out)
    return total / count


def main(argv):
    torch.manual_seed(0)
    np.random.seed(0)
    data, log = Table(), []
    weights = 1.0 / torch.tensor(np.bincount(data.y), dtype=torch.float)
    sampler = WeightedRandomSampler(weights[data.y], num_samples=len(data), replacement=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    crit = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(1.5))

    def fresh():
        model = mlp()
        opt = torch.optim.Adam(model.parameters(), lr=1e-2)
        return model, opt

    model, opt = fresh()
    sch = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 8)
    for _ in range(3):
        log.append(run_epoch(model, loader, crit, opt))
        sch.step()
    file = io.BytesIO()
    state = {"model": model.state_dict(), "optimizer": opt.state_dict(), "epoch": 3}
    torch.save({**state, "scheduler": sch.state_dict(), "rng": torch.get_rng_state()}, file)
    file.seek(0)
    saved = torch.load(file, map_location="cpu", weights_only=False)
    model, opt = fresh()
    model.load_state_dict(saved["model"])
    opt.load_state_dict(saved["optimizer"])
    # Made for an optimiser that is under way.
    sch = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 8)
    sch.load_state_dict(saved["scheduler"])
    torch.set_rng_state(saved["rng"])
    mean, swa = AveragedModel(model), SWALR(opt, swa_lr=5e-3, anneal_epochs=2)
    for _ in range(saved["epoch"], 6):
        log.append(run_epoch(model, loader, crit, opt))
        mean.update_parameters(model)
        swa.step()
        log.extend(swa.get_last_lr())
    update_bn((batch["x"] for batch in loader), mean)
    log.append(run_epoch(mean, loader, crit))

    folds = np.array_split(np.random.permutation(len(data)), 3)
    for k, val in enumerate(folds):
        train = np.concatenate([f for j, f in enumerate(folds) if j != k])
        train_loader = DataLoader(Subset(data, train), batch_size=25, shuffle=True)
        val_loader = DataLoader(data, batch_size=50, sampler=SubsetRandomSampler(val))
        net, stop = mlp(), EarlyStopping()
        opt = torch.optim.Adadelta(net.parameters())
        plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=0)
        for _ in range(4):
            run_epoch(net, train_loader, crit, opt)
            loss = run_epoch(net, val_loader, crit)
            plateau.step(loss)
            log.append(loss)
            if stop(loss, net):
                break
        net.load_state_dict(stop.state)
        log.append(run_epoch(net, val_loader, crit))
    return log
