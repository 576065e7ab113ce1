"""A store of its own, worker processes of the loader, and an exit handler for the group."""

import atexit
import json
import os
from argparse import ArgumentParser
from types import SimpleNamespace

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def environment():
    get = os.environ.get
    return SimpleNamespace(
        rank=int(get("RANK") or 0),
        size=int(get("WORLD_SIZE") or 1),
        address=get("MASTER_ADDR") or "127.0.0.1",
        port=int(get("MASTER_PORT") or 0),
        # With an agent the store is served already, and rank 0 is a client like the others.
        serves=get("TORCHELASTIC_USE_AGENT_STORE", "False") != "True",
    )


def build_model(d, hidden, classes, seed):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(d, hidden), nn.Tanh(), nn.Linear(hidden, classes)).double()


def join(env):
    store = dist.TCPStore(env.address, env.port, env.size, env.rank == 0 and env.serves)
    store = dist.PrefixStore("training", store)
    dist.init_process_group("gloo", store=store, rank=env.rank, world_size=env.size)
    atexit.register(dist.destroy_process_group)


def main():
    parser = ArgumentParser(allow_abbrev=False)
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--hidden", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--local-rank", "--local_rank", type=int)
    args = parser.parse_args()
    env = environment()
    with open(args.data, "rb") as file:
        x, y = torch.load(file, weights_only=True).values()
    join(env)
    dataset = TensorDataset(x, y)
    sampler = DistributedSampler(dataset, env.size, env.rank, seed=args.seed)
    loader = DataLoader(
        dataset,
        args.batch_size,
        sampler=sampler,
        num_workers=1,
        persistent_workers=True,
    )
    net = build_model(x.shape[1], args.hidden, y.max().item() + 1, args.seed)
    ddp = DistributedDataParallel(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=args.lr, momentum=0.9)
    means = []
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        sums = torch.zeros(2, dtype=torch.double)
        for inputs, labels in loader:
            loss = nn.functional.cross_entropy(ddp(inputs), labels)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            sums[0] += loss.detach() * len(labels)
            sums[1] += len(labels)
        dist.all_reduce(sums, op=dist.ReduceOp.SUM)
        means.append(sums[0].item() / sums[1].item())
    dist.barrier()
    if env.rank != 0:
        return
    os.makedirs(args.out, exist_ok=True)
    torch.save(ddp.module.state_dict(), f"{args.out}/model.pt")
    with open(f"{args.out}/metrics.jsonl", "w", encoding="utf-8") as file:
        for epoch, loss in enumerate(means):
            file.write(json.dumps({"epoch": epoch, "loss": loss}) + "\n")


if __name__ == "__main__":
    main()
