"""Minimum number of programs that a problem needs for a proof.

Only this module has these numbers: `bank check` objects below them, `bank new` prints them. The
number of hints and of levels is fixed, see ``schema``.
"""

from dataclasses import dataclass

from torchstone.bank.problem import Problem

# Right answers: the solution and one in another style, so that the cases do not fit one program.
LEAST = {"right": 2, "wrong": 5, "cheats": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortage:
    """A kind of program with too few files.

    Attributes:
        kind: The kind of program, a key of ``LEAST``.
        count: The number of its files.
    """

    kind: str
    count: int

    @property
    def least(self) -> int:
        """Return the minimum."""
        return LEAST[self.kind]

    @property
    def files(self) -> str:
        """Return the pattern of the counted files."""
        return "solution.*, good/*" if self.kind == "right" else f"{self.kind}/*"


def shortages(problem: Problem) -> tuple[Shortage, ...]:
    """Return each kind of program with too few files."""
    counts = {
        "right": 1 + len(problem.good),
        "wrong": len(problem.wrong),
        "cheats": len(problem.cheats),
    }
    return tuple(
        Shortage(kind=kind, count=count) for kind, count in counts.items() if count < LEAST[kind]
    )
