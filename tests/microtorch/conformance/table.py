"""The committed table of what MicroTorch passes, entry by entry of PyTorch's own suites."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PATH = Path(__file__).with_name("table.tsv")
FULL, PART, NONE = "full", "part", "none"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Row:
    """A line of the table.

    Attributes:
        suite: ``op_db``, ``module_db`` or ``optim_db``.
        name: The entry.
        state: All of it passes, or a part, or MicroTorch has no such name.
        passed: How many of its samples agree.
        samples: How many it has.
    """

    suite: str
    name: str
    state: str
    passed: int
    samples: int

    def __str__(self) -> str:
        return f"{self.suite}\t{self.name}\t{self.state}\t{self.passed}\t{self.samples}"


def read_table() -> list[Row]:
    """Read what is committed."""
    rows = []
    for line in PATH.read_text(encoding="utf-8").splitlines()[1:]:
        suite, name, state, passed, samples = line.split("\t")
        rows.append(
            Row(suite=suite, name=name, state=state, passed=int(passed), samples=int(samples))
        )
    return rows


def write_table(rows: list[Row]) -> None:
    """Write what is to be committed."""
    lines = ["suite\tentry\tstate\tpassed\tsamples", *map(str, sorted(rows))]
    PATH.write_text("\n".join(lines) + "\n", encoding="utf-8")
