"""Cases of the echo: it comes, it does not come in time, and nobody is left to hear it."""

from torchstone.judge.kit import Case, Request

GROUPS = ("late", "orphans")


def plan(group, draw):
    return [{}]


def build(group, params, draw):
    data = {"word": draw.integer(100, 1_000_000)}
    return Case(steps=(Request(op=group, data=data),), secret=data)
