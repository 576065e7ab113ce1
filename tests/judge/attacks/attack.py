"""Read the attacks: one small submission a file, with the verdicts that are honest in its header.

A file that does not define what its problem asks for gets the solution appended, so that an attack
which comes through its own text is accepted. AC is therefore never an honest outcome.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from torchstone.bank.loader import CONTENT

FOLDER = Path(__file__).with_name("submissions")
FAMILIES = (
    "answers",
    "bans",
    "channel",
    "escape",
    "introspection",
    "network",
    "poisoning",
    "resources",
    "script",
    "signals",
)
OUTCOMES = {"CE", "FORBIDDEN_OP", "HUNG", "INPUT_MUTATED", "MLE", "OLE", "RTE", "TLE", "WA"}
_HEADER = re.compile(r"^# (outcome|tries|groups|problem): (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One attack.

    Attributes:
        name: ``family/file``.
        outcomes: The verdicts that are honest.
        tries: What it tries, for the reader of a failure.
        groups: The groups of cases it is judged by.
        problem: The number of the problem it is judged against.
        source: Its text.
    """

    name: str
    outcomes: frozenset[str]
    tries: str
    groups: tuple[str, ...]
    problem: str
    source: str

    @property
    def family(self) -> str:
        """The folder it lies in."""
        return self.name.partition("/")[0]


def read_attacks() -> list[Attack]:
    """Read every attack, sorted by name."""
    return [read_attack(path) for path in sorted(FOLDER.glob("*/*.py"))]


def read_attack(path: Path) -> Attack:
    """Read one file and its header."""
    text = path.read_text(encoding="utf-8")
    entries = dict(_HEADER.findall(text))
    problem = entries.get("problem", "01")
    solution = _solution_of(problem)
    whole = solution is None or any(f"{kind} {name}" in text for kind, name in _defined(solution))
    return Attack(
        name=f"{path.parent.name}/{path.stem}",
        outcomes=frozenset(entries["outcome"].split(" | ")),
        tries=entries["tries"],
        groups=tuple(entries.get("groups", "sample").split()),
        problem=problem,
        source=text if whole else f"{text}\n\n{solution}",
    )


def _solution_of(problem: str) -> str | None:
    """Return the solution of a problem of the bank; the problems of the attacks have none."""
    for path in (CONTENT / "problems").glob(f"{problem}_*/solution.py"):
        return path.read_text(encoding="utf-8")
    return None


def _defined(source: str) -> list[tuple[str, str]]:
    return re.findall(r"^(def|class) ([a-zA-Z]\w*)", source, re.MULTILINE)
