"""A BatchSampler, a context manager for the group, `record` on main, and DDP's prefix stripped."""

import argparse
import contextlib
import datetime
import json
import os
import pathlib

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.elastic.multiprocessing.errors import record
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import BatchSampler, DataLoader, Dataset, DistributedSampler

DEFAULTS = {
    "RANK": "0",
    "WORLD_SIZE": "1",
    "LOCAL_RANK": "0",
    "MASTER_ADDR": "localhost",
    "MASTER_PORT": "29511",
}


class Samples(Dataset):
    def __init__(self, path):
        self.samples = torch.load(path, map_location="cpu", weights_only=True)

    def __len__(self):
        return len(self.samples["y"])

    def __getitem__(self, index):
        return self.samples["x"][index], self.samples["y"][index]


@contextlib.contextmanager
def process_group():
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)
    dist.init_process_group(timeout=datetime.timedelta(minutes=5))
    try:
        yield dist.get_rank()
    finally:
        dist.destroy_process_group()


def build_model(d, hidden, classes, seed):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(d, hidden), nn.Tanh(), nn.Linear(hidden, classes)).double()


def train_epoch(ddp, loader, optimizer):
    criterion = nn.CrossEntropyLoss(reduction="sum")
    total, count = 0.0, 0
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(ddp(x), y)
        (loss / y.numel()).backward()
        optimizer.step()
        total, count = total + loss.item(), count + y.numel()
    gathered = [torch.empty(2, dtype=torch.float64) for _ in range(dist.get_world_size())]
    dist.all_gather(gathered, torch.tensor([total, count], dtype=torch.float64))
    total, count = torch.stack(gathered).sum(0).tolist()
    return total / count


@record
def main(args):
    samples = Samples(args.data)
    with process_group() as rank:
        sampler = DistributedSampler(samples, seed=args.seed)
        loader = DataLoader(samples, batch_sampler=BatchSampler(sampler, args.batch_size, False))
        classes = samples.samples["y"].max().item() + 1
        model = build_model(samples.samples["x"].size(1), args.hidden, classes, args.seed)
        ddp = DDP(model, gradient_as_bucket_view=True, static_graph=True)
        optimizer = torch.optim.SGD(ddp.parameters(), args.lr, momentum=0.9, foreach=True)
        args.out.mkdir(parents=True, exist_ok=True)
        history = []
        for epoch in range(args.epochs):
            sampler.set_epoch(epoch)
            history.append({"loss": train_epoch(ddp, loader, optimizer), "epoch": epoch})
        if rank == 0:
            state = {key.removeprefix("module."): value for key, value in ddp.state_dict().items()}
            torch.save(state, args.out / "model.pt")
            with (args.out / "metrics.jsonl").open("w") as file:
                file.writelines(json.dumps(each) + "\n" for each in history)
        dist.barrier()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Train with any number of ranks.")
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--epochs", default=3, type=int)
    parser.add_argument("--batch-size", default=8, type=int)
    parser.add_argument("--lr", default=0.1, type=float)
    parser.add_argument("--hidden", default=16, type=int)
    parser.add_argument("--seed", default=0, type=int)
    parser.add_argument("--local-rank", "--local_rank", dest="local_rank", default=None, type=int)
    main(parser.parse_args())
