"""Cases of the squares: how many items, and how many workers compute them."""

from torchstone.judge.kit import Case, Request

GROUPS = ("small", "again")
PLANS = {
    "small": [{"items": 3, "workers": 0}, {"items": 5, "workers": 2}],
    "again": [{"items": 4, "workers": 1}],
}


def plan(group, draw):
    return [dict(params) for params in PLANS[group]]


def build(group, params, draw):
    base = draw.integer(100, 1_000_000)
    data = {"items": [base + number for number in range(params["items"])]}
    data["workers"] = params["workers"]
    return Case(steps=(Request(op="squares", data=data),), secret=data)


def shrink(params):
    if params["items"] > 1:
        yield {**params, "items": params["items"] - 1}
    if params["workers"]:
        yield {**params, "workers": params["workers"] - 1}
