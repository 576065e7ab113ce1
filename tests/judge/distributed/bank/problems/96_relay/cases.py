"""Cases of a sum over pipes: one process, three, and one that dies."""

import torch

from torchstone.judge.kit import Case, Request

GROUPS = ("alone", "sum", "death")
PLANS = {"alone": [1], "sum": [2, 4], "death": [3]}


def plan(group, draw):
    return [{"world_size": ranks, "dies": group == "death"} for ranks in PLANS[group]]


def build(group, params, draw):
    values = torch.randn(params["world_size"], 5, generator=draw.generator)
    data = {**params, "joined_by": "pipes", "ranks": [{"value": value} for value in values]}
    return Case(steps=(Request(op="sum", data=data),), secret={**params, "values": values})
