"""What came in time, and how many workers are left after the death of the program."""

from torchstone.judge.kit import Exact, Holds


def expect(case):
    ended = {"en": "no worker is left", "zh": "no worker is left"}
    return {
        "out": Exact(case.secret["word"]),
        "counts": Holds(lambda rows: rows[-1][:2] == ["left", 0], ended),
    }
