"""The script doubles its argument."""

from torchstone.judge.kit import Exact


def expect(case):
    return {"exit": Exact(0), "name.answer": Exact(2 * case.secret["start"])}
