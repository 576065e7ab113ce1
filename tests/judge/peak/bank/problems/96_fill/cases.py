"""Cases of the sum of filled blocks: requests go to a process each, or to one that stays."""

from torchstone.judge.kit import Case, Request

GROUPS = ("plain", "memory", "staying")
MIB = 1 << 20
PLANS = {
    "plain": [{"counts": [3], "alone": False}],
    "memory": [{"counts": [1, 64], "alone": True, "stays": False}],
    "staying": [{"counts": [2, 65, 128], "alone": True, "stays": True}],
}


def plan(group, draw):
    return [dict(params) for params in PLANS[group]]


def build(group, params, draw):
    alone = {"alone": True} if params["alone"] else {}
    data = [{"count": count, "num_bytes": MIB} | alone for count in params["counts"]]
    for each in data[:-1]:
        each["stays"] = params.get("stays", False)
    steps = tuple(Request(op="fill", data=each) for each in data)
    return Case(steps=steps, secret=params)
