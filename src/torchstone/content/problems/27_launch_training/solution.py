import argparse
import json
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def build_model(d, hidden, classes, seed):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(d, hidden), nn.Tanh(), nn.Linear(hidden, classes)).double()


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--hidden", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    # torch.distributed.launch sends it; the environment says the same.
    parser.add_argument("--local-rank", "--local_rank", type=int, default=0)
    return parser.parse_args()


def main():
    args = parse_args()
    # The file comes first: a rank that cannot read it ends before the others wait for it.
    data = torch.load(args.data, weights_only=True)
    for name, default in (("RANK", "0"), ("WORLD_SIZE", "1"), ("LOCAL_RANK", "0")):
        os.environ.setdefault(name, default)
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "0" if os.environ["WORLD_SIZE"] == "1" else "29500")
    device = torch.device("cpu")
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        train(args, data, device)
        dist.barrier()
    finally:
        dist.destroy_process_group()


def train(args, data, device):
    dataset = TensorDataset(data["x"], data["y"])
    sampler = DistributedSampler(dataset, shuffle=True, seed=args.seed, drop_last=False)
    loader = DataLoader(dataset, batch_size=args.batch_size, sampler=sampler)
    classes = int(data["y"].max()) + 1
    model = build_model(data["x"].shape[1], args.hidden, classes, args.seed).to(device)
    ddp = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(ddp.parameters(), lr=args.lr, momentum=0.9)
    metrics = []
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        total = torch.zeros(2, dtype=torch.float64, device=device)
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(ddp(x), y)
            loss.backward()
            optimizer.step()
            total += torch.tensor([loss.item() * len(y), len(y)], dtype=total.dtype).to(device)
        dist.all_reduce(total)
        metrics.append({"epoch": epoch, "loss": (total[0] / total[1]).item()})
    if dist.get_rank() == 0:
        args.out.mkdir(parents=True, exist_ok=True)
        torch.save(model.cpu().state_dict(), args.out / "model.pt")
        lines = "".join(json.dumps(line) + "\n" for line in metrics)
        (args.out / "metrics.jsonl").write_text(lines)


if __name__ == "__main__":
    main()
