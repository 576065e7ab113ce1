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
    """The content of a problem folder.

    ``cases``, ``oracle`` and ``probe`` are paths, because they are code, and only the processes of
    the judge load code.
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
        """Return the two digits of the problem's number."""
        return self.spec.id

    @property
    def slug(self) -> str:
        """Return the name of the problem in words."""
        return self.spec.slug

    @property
    def title(self) -> Words:
        """Return the title in both languages."""
        return self.spec.title

    @property
    def variants(self) -> tuple[Variant, ...]:
        """Return all model programs: right answers, then wrong answers, then cheats."""
        return (self.solution, *self.good, *self.wrong, *self.cheats)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bank:
    """The loaded problems, in order of their ids, and the errors of the broken ones."""

    problems: tuple[Problem, ...]
    broken: tuple[BrokenProblem, ...] = field(default=())

    def __iter__(self) -> Iterator[Problem]:
        """Iterate over the loaded problems in order of their ids."""
        return iter(self.problems)

    def __len__(self) -> int:
        """Count the loaded problems."""
        return len(self.problems)

    def get(self, name: str) -> Problem:
        """Find a problem by ``"01"``, ``"1"``, ``"softmax"`` or ``"01_softmax"``.

        Raises:
            BrokenProblem: The problem exists, but its folder is broken.
            NotFound: The problem does not exist.
        """
        key = _normal(name)
        for problem in self.problems:
            if key in (problem.id, problem.slug, problem.path.name):
                return problem
        for error in self.broken:
            folder = str(error.values["problem"])
            if key in (folder, *folder.split("_", maxsplit=1)):
                raise error
        raise NotFound("bank.problem_unknown", name=name, near=self._nearest(key))

    def _nearest(self, name: str) -> str:
        known = [problem.slug for problem in self.problems]
        return next(iter(difflib.get_close_matches(name, known, n=1) or known[:1]), "01")


def _normal(name: str) -> str:
    key = name.strip().lower().replace("-", "_")
    return key.zfill(2) if key.isascii() and key.isdigit() else key
