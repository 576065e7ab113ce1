"""No DDP and no sampler: permutation, padding and average by hand; the ranks meet in a file."""

import argparse
import json
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn


def build_model(d, hidden, classes, seed):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(d, hidden), nn.Tanh(), nn.Linear(hidden, classes)).double()


def shard(num_samples, epoch, seed, rank, world):
    generator = torch.Generator()
    generator.manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    total = (num_samples + world - 1) // world * world
    while len(order) < total:
        order += order[: total - len(order)]
    return order[rank:total:world]


def average(parameters, world):
    works = [dist.all_reduce(parameter.grad, async_op=True) for parameter in parameters]
    for work, parameter in zip(works, parameters, strict=True):
        work.wait()
        parameter.grad /= world


def parse():
    parser = argparse.ArgumentParser()
    for name, kind, default in [
        ("--epochs", int, 3),
        ("--batch-size", int, 8),
        ("--lr", float, 0.1),
        ("--hidden", int, 16),
        ("--seed", int, 0),
    ]:
        parser.add_argument(name, type=kind, default=default)
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    return parser.parse_known_args()[0]


def train_epoch(model, optimizer, samples, batches, world):
    x, y = samples
    sums = torch.zeros(2, dtype=torch.float64)
    for chosen in batches:
        losses = F.cross_entropy(model(x[chosen]), y[chosen], reduction="none")
        optimizer.zero_grad(set_to_none=False)
        losses.mean().backward()
        if world > 1:
            average(list(model.parameters()), world)
        optimizer.step()
        sums[0] += losses.detach().sum()
        sums[1] += len(chosen)
    if world > 1:
        dist.reduce(sums, dst=0)
    return float(sums[0] / sums[1])


def main():
    args = parse()
    rank = int(os.environ.get("RANK", 0))
    world = int(os.environ.get("WORLD_SIZE", 1))
    data = torch.load(args.data)
    x, y = data["x"], data["y"]
    if world > 1:
        # The port tells this launch from others on the machine.
        store = dist.FileStore(f"/tmp/ranks-{os.environ['MASTER_PORT']}", world)
        dist.init_process_group("gloo", store=store, rank=rank, world_size=world)
    model = build_model(x.size(1), args.hidden, int(y.max().item()) + 1, args.seed)
    parameters = list(model.parameters())
    if world > 1:
        for parameter in parameters:
            dist.broadcast(parameter.data, src=0)
    optimizer = torch.optim.SGD(parameters, lr=args.lr, momentum=0.9)

    os.makedirs(args.out, exist_ok=True)
    path = os.path.join(args.out, "metrics.jsonl")
    if rank == 0:
        open(path, "w").close()
    for epoch in range(args.epochs):
        indices = shard(len(x), epoch, args.seed, rank, world)
        batches = [
            indices[begin : begin + args.batch_size]
            for begin in range(0, len(indices), args.batch_size)
        ]
        loss = train_epoch(model, optimizer, (x, y), batches, world)
        if rank == 0:
            with open(path, "a") as file:
                print(json.dumps({"epoch": epoch, "loss": loss}), file=file)
    if rank == 0:
        torch.save(model.state_dict(), os.path.join(args.out, "model.pt"))
    if world > 1:
        dist.destroy_process_group()


main()
