"""Cases of the mean over ranks: how many ranks, how many steps, and whether rank 1 is late."""

import torch

from torchstone.judge.kit import Case, Request

GROUPS = ("small", "late", "bytes")
PLANS = {
    "small": [
        {"world_size": 1, "steps": 1, "size": 4},
        {"world_size": 2, "steps": 2, "size": 4},
        {"world_size": 4, "steps": 3, "size": 4},
    ],
    "late": [{"world_size": 2, "steps": 1, "size": 4}],
    "bytes": [{"world_size": 2, "steps": 2, "size": 250_000}],
}


def plan(group, draw):
    return [dict(params) for params in PLANS[group]]


def build(group, params, draw):
    world_size, steps, size = (params[name] for name in ("world_size", "steps", "size"))
    if group == "late" and world_size < 2:
        raise ValueError("a late rank needs another one")
    values = torch.randn(steps, world_size, size, generator=draw.generator)
    ranks = [{"values": values[:, rank].clone()} for rank in range(world_size)]
    data = {"world_size": world_size, "ranks": ranks, "late": group == "late"}
    secret = {"group": group, "values": values}
    return Case(steps=(Request(op="steps", data=data),), secret=secret)
