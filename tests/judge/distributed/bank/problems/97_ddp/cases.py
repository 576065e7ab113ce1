"""Cases of data parallelism: equal gradients, another order on each rank, a late rank, traffic."""

import torch

from torchstone.judge.kit import Case, Request

GROUPS = ("basic", "order", "overlap", "bytes")
PLANS = {
    "basic": [{"world_size": ranks, "steps": 2, "width": 3} for ranks in (1, 2, 4)],
    "order": [{"world_size": 2, "steps": 1, "width": 3}],
    "overlap": [{"world_size": 2, "steps": 1, "width": 3}],
    "bytes": [{"world_size": 2, "steps": 2, "width": 256}],
}


def plan(group, draw):
    return [dict(params) for params in PLANS[group]]


def build(group, params, draw):
    world_size, steps, width = (params[name] for name in ("world_size", "steps", "width"))
    if group in ("order", "overlap") and world_size < 2:
        raise ValueError("one rank is never late")

    def normal(*shape):
        return torch.randn(*shape, generator=draw.generator, dtype=torch.float64)

    # Each rank begins with weights of its own; those of rank 0 count.
    weights = normal(world_size, 3, width, width) / width**0.5
    x = normal(steps, world_size, 2, width)
    parts = [
        {"weights": weights[rank].clone(), "x": x[:, rank].clone()} for rank in range(world_size)
    ]
    data = {**params, "group": group}
    secret = {**data, "weights": weights, "x": x}
    return Case(steps=(Request(op="train", data={**data, "ranks": parts}),), secret=secret)
