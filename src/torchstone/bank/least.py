"""Minimum number of programs that a problem needs for a proof.

This is the only place of these numbers: `bank check` objects below them, `bank new` names them.
Hints and rubric have fixed forms, see ``schema``.
"""

from dataclasses import dataclass

from torchstone.bank.problem import Problem

# Right answers: the solution and one in another style, so that the cases do not fit one program.
LEAST = {"right": 2, "wrong": 5, "cheats": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortage:
    """Fewer programs than the least number.

    Attributes:
        kind: Which programs, a key of ``LEAST``.
        count: How many there are.
    """

    kind: str
    count: int

    @property
    def least(self) -> int:
        """Return how many there must be."""
        return LEAST[self.kind]

    @property
    def files(self) -> str:
        """Name the files that are counted."""
        return "solution.*, good/*" if self.kind == "right" else f"{self.kind}/*"


def shortages(problem: Problem) -> tuple[Shortage, ...]:
    """Return what a problem holds too few of."""
    counts = {
        "right": 1 + len(problem.good),
        "wrong": len(problem.wrong),
        "cheats": len(problem.cheats),
    }
    return tuple(
        Shortage(kind=kind, count=count) for kind, count in counts.items() if count < LEAST[kind]
    )
