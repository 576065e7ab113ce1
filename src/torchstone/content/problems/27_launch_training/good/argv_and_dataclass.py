"""Arguments from sys.argv, the environment as a dataclass, flat gradients, atomic saves."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import dataclass, fields

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.utils import parameters_to_vector


@dataclass
class World:
    rank: int = 0
    world_size: int = 1
    local_rank: int = 0

    @classmethod
    def from_environment(cls) -> World:
        names = [field.name for field in fields(cls)]
        return cls(**{n: int(os.environ[n.upper()]) for n in names if n.upper() in os.environ})


def read_arguments(argv):
    options = {
        "data": None,
        "out": None,
        "epochs": "3",
        "batch-size": "8",
        "lr": "0.1",
        "hidden": "16",
        "seed": "0",
        "local-rank": "0",
    }
    words = iter(argv)
    for word in words:
        name, equals, value = word.removeprefix("--").partition("=")
        name = name.replace("_", "-")
        if name not in options:
            sys.exit(f"unknown option {word}")
        options[name] = value if equals else next(words)
    if options["data"] is None or options["out"] is None:
        sys.exit("--data and --out are required")
    return options


def build_model(d, hidden, classes, seed):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(d, hidden), nn.Tanh(), nn.Linear(hidden, classes)).double()


def write_atomically(folder, name, write):
    handle, path = tempfile.mkstemp(dir=folder, prefix=f".{name}.")
    with os.fdopen(handle, "wb") as file:
        write(file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path, os.path.join(folder, name))


def main():
    options = read_arguments(sys.argv[1:])
    world = World.from_environment()
    data = torch.load(options["data"], weights_only=True)
    address = os.environ.get("MASTER_ADDR", "localhost")
    port = os.environ.get("MASTER_PORT", "0")
    dist.init_process_group(
        "gloo",
        init_method=f"tcp://{address}:{port}",
        rank=world.rank,
        world_size=world.world_size,
    )
    x, y = data["x"], data["y"]
    seed, size = int(options["seed"]), int(options["batch-size"])
    model = build_model(x.shape[1], int(options["hidden"]), int(y.max()) + 1, seed)
    optimizer = torch.optim.SGD(model.parameters(), lr=float(options["lr"]), momentum=0.9)
    sampler = torch.utils.data.DistributedSampler(range(len(x)), seed=seed)
    lines = []
    for epoch in range(int(options["epochs"])):
        sampler.set_epoch(epoch)
        mine = torch.tensor(list(sampler))
        seen = []
        for batch in mine.split(size):
            loss = nn.functional.cross_entropy(model(x[batch]), y[batch])
            grads = torch.autograd.grad(loss, list(model.parameters()))
            flat = parameters_to_vector(grads)
            dist.all_reduce(flat)
            flat /= dist.get_world_size()
            torch.nn.utils.vector_to_parameters(flat, grads)
            for parameter, grad in zip(model.parameters(), grads, strict=True):
                parameter.grad = grad
            optimizer.step()
            seen.append((loss.item() * len(batch), len(batch)))
        everywhere = [None] * dist.get_world_size()
        dist.all_gather_object(everywhere, seen)
        pairs = [pair for each in everywhere for pair in each]
        loss = sum(total for total, _ in pairs) / sum(count for _, count in pairs)
        lines.append(json.dumps({"epoch": epoch, "loss": loss}))
    if world.rank == 0:
        os.makedirs(options["out"], exist_ok=True)
        write_atomically(options["out"], "model.pt", lambda f: torch.save(model.state_dict(), f))
        text = "".join(f"{line}\n" for line in lines).encode()
        write_atomically(options["out"], "metrics.jsonl", lambda file: file.write(text))
    dist.barrier()
    dist.destroy_process_group()
    print(f"rank {world.rank} is done")


if __name__ == "__main__":
    main()
