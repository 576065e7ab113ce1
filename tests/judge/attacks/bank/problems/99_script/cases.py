"""One case: run the script and ask for a name."""

from torchstone.judge.kit import Case, Request

GROUPS = ("sample",)


def plan(group, draw):
    return [{"start": draw.integer(2, 1000)}]


def build(group, params, draw):
    data = {"names": ["answer"], "argv": [str(params["start"])]}
    return Case(steps=(Request(op="run", data=data),), secret=params)
