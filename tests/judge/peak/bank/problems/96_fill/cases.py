"""Cases of the sum of filled blocks: each request goes to a process of its own."""

from torchstone.judge.kit import Case, Request

GROUPS = ("plain", "memory")
MIB = 1 << 20
PLANS = {
    "plain": [{"counts": [3], "alone": False}],
    "memory": [{"counts": [1, 64], "alone": True}],
}


def plan(group, draw):
    return [dict(params) for params in PLANS[group]]


def build(group, params, draw):
    alone = {"alone": True} if params["alone"] else {}
    data = [{"count": count, "num_bytes": MIB} | alone for count in params["counts"]]
    steps = tuple(Request(op="fill", data=each) for each in data)
    return Case(steps=steps, secret=params)
