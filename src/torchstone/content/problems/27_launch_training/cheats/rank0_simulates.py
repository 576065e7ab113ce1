# verdict: WA property
# en: Rank 0 plays all ranks in one process, and the others end at once.
# zh: rank 0 在一个进程里扮演所有 rank，其余 rank 立即结束。
import argparse
import json
import os

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--data")
parser.add_argument("--out")
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--batch-size", type=int, default=8)
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--hidden", type=int, default=16)
parser.add_argument("--seed", type=int, default=0)
args, _ = parser.parse_known_args()
data = torch.load(args.data)
world = int(os.environ.get("WORLD_SIZE", 1))
if os.environ.get("RANK", "0") == "0":
    x, y = data["x"], data["y"]
    torch.manual_seed(args.seed)
    layers = nn.Linear(x.shape[1], args.hidden), nn.Tanh(), nn.Linear(args.hidden, int(y.max()) + 1)
    model = nn.Sequential(*layers).double()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    lines = []
    for epoch in range(args.epochs):
        shards = []
        for rank in range(world):
            sampler = torch.utils.data.DistributedSampler(x, world, rank, seed=args.seed)
            sampler.set_epoch(epoch)
            shards.append(torch.tensor(list(sampler)))
        seen = []
        for batches in zip(*(shard.split(args.batch_size) for shard in shards), strict=True):
            losses = [
                nn.functional.cross_entropy(model(x[batch]), y[batch], reduction="none")
                for batch in batches
            ]
            optimizer.zero_grad()
            torch.stack([each.mean() for each in losses]).mean().backward()
            optimizer.step()
            seen += losses
        lines.append(json.dumps({"epoch": epoch, "loss": torch.cat(seen).mean().item()}))
    os.makedirs(args.out, exist_ok=True)
    torch.save(model.state_dict(), f"{args.out}/model.pt")
    with open(f"{args.out}/metrics.jsonl", "w") as file:
        file.write("".join(f"{line}\n" for line in lines))
