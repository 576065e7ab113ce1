"""Gradients are summed on rank 0 and sent back, with a sampler of its own."""

import argparse
import itertools
import json
import os
import shutil

import torch
import torch.distributed as dist
from torch import nn, optim
from torch.utils.data import DataLoader, Sampler, TensorDataset


class EpochShard(Sampler):
    """The indices of one rank in one epoch, as DistributedSampler deals them out."""

    def __init__(self, length, rank, world, seed):
        self.length, self.rank, self.world, self.seed = length, rank, world, seed
        self.epoch = 0

    def __len__(self):
        return -(-self.length // self.world)

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed + self.epoch)
        order = torch.randperm(self.length, generator=generator).tolist()
        endless = itertools.cycle(order)
        padded = list(itertools.islice(endless, len(self) * self.world))
        return iter(padded[self.rank :: self.world])


def build_model(d, hidden, classes, seed):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(d, hidden), nn.Tanh(), nn.Linear(hidden, classes)).double()


class Trainer:
    def __init__(self, args, x, y):
        self.args = args
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.sampler = EpochShard(len(x), self.rank, self.world, args.seed)
        self.loader = DataLoader(TensorDataset(x, y), args.batch_size, sampler=self.sampler)
        self.model = build_model(x.size(-1), args.hidden, int(y.max()) + 1, args.seed)
        self.optimizer = optim.SGD(self.model.parameters(), lr=args.lr, momentum=0.9)
        for value in self.model.state_dict().values():
            dist.broadcast(value, 0)

    def synchronise(self):
        for parameter in self.model.parameters():
            dist.reduce(parameter.grad, 0)
            parameter.grad.div_(self.world)
            dist.broadcast(parameter.grad, 0)

    def epoch(self, number):
        self.sampler.epoch = number
        total = torch.zeros((), dtype=torch.float64)
        for x, y in self.loader:
            loss = nn.functional.cross_entropy(self.model(x), y, reduction="sum")
            self.optimizer.zero_grad()
            loss.div(len(y)).backward()
            self.synchronise()
            self.optimizer.step()
            total += loss.detach()
        parts = [torch.zeros_like(total) for _ in range(self.world)] if self.rank == 0 else None
        dist.gather(total, parts, dst=0)
        return sum(parts).item() / (len(self.sampler) * self.world) if self.rank == 0 else None

    def save(self, losses):
        out = self.args.out
        if os.path.isdir(out):
            shutil.rmtree(out)
        os.makedirs(out)
        torch.save(self.model.state_dict(), os.path.join(out, "model.pt"))
        with open(os.path.join(out, "metrics.jsonl"), "x") as file:
            for epoch, loss in enumerate(losses):
                json.dump({"epoch": epoch, "loss": loss}, file)
                file.write("\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--hidden", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    args, _ignored = parser.parse_known_args()
    data = torch.load(args.data)
    if "RANK" not in os.environ:
        store = dist.HashStore()
        dist.init_process_group("gloo", store=store, rank=0, world_size=1)
    else:
        dist.init_process_group("gloo", init_method="env://")
    trainer = Trainer(args, data["x"], data["y"])
    losses = [trainer.epoch(number) for number in range(args.epochs)]
    if trainer.rank == 0:
        trainer.save(losses)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
