"""``Problem`` and ``Bank``: immutable records of the loaded content."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from torchstone.bank.schema import Hint, ProblemSpec, Rubric, Words
from torchstone.bank.variant import Variant
from torchstone.core.errors import BrokenProblem, NotFound


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Everything in the folder of a problem.

    ``cases``, ``oracle`` and ``probe`` are given as paths only: they are code, and the processes
    of the judge alone load code.
    """

    path: Path
    spec: ProblemSpec
    statement: Words
    editorial: Words
    starter: str
    hints: tuple[Hint, ...]
    rubric: Rubric
    solution: Variant
    good: tuple[Variant, ...]
    wrong: tuple[Variant, ...]
    cheats: tuple[Variant, ...]
    cases: Path
    oracle: Path
    probe: Path | None

    @property
    def id(self) -> str:
        """Return the two digits that name the problem in public."""
        return self.spec.id

    @property
    def slug(self) -> str:
        """Return the name that names it in words."""
        return self.spec.slug

    @property
    def title(self) -> Words:
        """Return the title in both languages."""
        return self.spec.title

    @property
    def variants(self) -> tuple[Variant, ...]:
        """Return all model programs: right ones, then wrong ones, then cheats."""
        return (self.solution, *self.good, *self.wrong, *self.cheats)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bank:
    """The problems that could be loaded, in order of their ids, and the ones that could not."""

    problems: tuple[Problem, ...]
    broken: tuple[BrokenProblem, ...] = field(default=())

    def __iter__(self) -> Iterator[Problem]:
        """Iterate over the problems in order of their ids."""
        return iter(self.problems)

    def __len__(self) -> int:
        """Count the problems that could be loaded."""
        return len(self.problems)

    def get(self, name: str) -> Problem:
        """Find a problem by ``"01"``, ``"1"``, ``"softmax"`` or ``"01_softmax"``.

        Raises:
            BrokenProblem: It exists, but its folder is broken.
            NotFound: There is no such problem.
        """
        wanted = _normal(name)
        for problem in self.problems:
            if wanted in (problem.id, problem.slug, problem.path.name):
                return problem
        for error in self.broken:
            folder = str(error.values["problem"])
            if wanted in (folder, *folder.split("_", maxsplit=1)):
                raise error
        raise NotFound("bank.problem_unknown", name=name, near=self._nearest(wanted))

    def _nearest(self, name: str) -> str:
        known = [problem.slug for problem in self.problems]
        return next(iter(difflib.get_close_matches(name, known, n=1) or known[:1]), "01")


def _normal(name: str) -> str:
    wanted = name.strip().lower().replace("-", "_")
    return wanted.zfill(2) if wanted.isascii() and wanted.isdigit() else wanted
