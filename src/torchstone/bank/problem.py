"""``Problem`` and ``Bank``: immutable records of the loaded content."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from torchstone.bank.schema import Hint, Kind, ProblemSpec, Rubric, Starter, Words
from torchstone.bank.spelling import Speller
from torchstone.bank.variant import Shelf, Variant
from torchstone.core.errors import BrokenProblem, NotFound
from torchstone.core.i18n import Lang, text

# Shorter parts occur in too many names.
_MIN_PART = 3


@dataclass(frozen=True, kw_only=True)
class Problem:
    """The content of a problem folder.

    ``cases``, ``oracle`` and ``probe`` are paths, because they are code, and only the processes of
    the judge load code. The model programs beside the solution are read when they are first used:
    they are most of the content, and few commands need them.
    """

    path: Path
    spec: ProblemSpec
    statement: Words
    editorial: Words
    starter: str
    hints: tuple[Hint, ...]
    rubric: Rubric
    solution: Variant
    cases: Path
    oracle: Path
    probe: Path | None
    read_shelf: Callable[[Shelf], tuple[Variant, ...]] = field(repr=False, compare=False)

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
    def led(self) -> str | None:
        """Return what the processes of a submission are where a leader starts several of them.

        Ranks, workers, the runs of a script, or its launches as several ranks.
        """
        entry = self.spec.entry
        if entry.kind is Kind.SCRIPT and self.probe is not None:
            return "launches" if entry.started_by is Starter.TORCHRUN else "runs"
        return {Kind.DISTRIBUTED: "ranks", Kind.LOADER: "workers"}.get(entry.kind)

    @cached_property
    def good(self) -> tuple[Variant, ...]:
        """Return the right answers beside the solution.

        Raises:
            BrokenProblem: One of them cannot be read; likewise for ``wrong`` and ``cheats``.
        """
        return self.read_shelf(Shelf.GOOD)

    @cached_property
    def wrong(self) -> tuple[Variant, ...]:
        """Return the wrong answers."""
        return self.read_shelf(Shelf.WRONG)

    @cached_property
    def cheats(self) -> tuple[Variant, ...]:
        """Return the programs that try to be accepted without a solution."""
        return self.read_shelf(Shelf.CHEATS)

    @property
    def variants(self) -> tuple[Variant, ...]:
        """Return all model programs: right answers, then wrong answers, then cheats."""
        return (self.solution, *self.good, *self.wrong, *self.cheats)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bank:
    """The loaded problems, in order of their ids, and the errors of the broken ones.

    Attributes:
        problems: The problems to practise with.
        tasks: The code tasks of interviews: judged and proven like problems, but in no list, so
            that nobody has practised them before.
    """

    problems: tuple[Problem, ...]
    tasks: tuple[Problem, ...] = ()
    broken: tuple[BrokenProblem, ...] = field(default=())

    @property
    def judged(self) -> tuple[Problem, ...]:
        """Return the problems, then the code tasks of interviews."""
        return (*self.problems, *self.tasks)

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
        return self._among(self.problems, name)

    def find(self, name: str) -> Problem:
        """Find a problem, or a code task of interviews, as ``get`` does.

        Raises:
            BrokenProblem: It exists, but its folder is broken.
            NotFound: It does not exist.
        """
        return self._among(self.judged, name)

    def _among(self, problems: tuple[Problem, ...], name: str) -> Problem:
        key = _normal(name)
        for problem in problems:
            if key in (problem.id, problem.slug, problem.path.name):
                return problem
        for error in self.broken:
            folder = str(error.values["problem"])
            if key in (folder, *folder.split("_", maxsplit=1)):
                raise error
        raise UnknownProblem("bank.problem_unknown", name=name, near=self._nearest(key))

    def _nearest(self, key: str) -> str | None:
        names = [name for problem in self.problems for name in (problem.id, problem.slug)]
        parts = [key] if len(key) >= _MIN_PART else []
        parts += [near.name for near in Speller(names).nearest(key) if near.is_sure]
        return next((name for part in parts for name in names if part in name), None)


class UnknownProblem(NotFound):
    """Raised when a problem does not exist; ``near`` is the name it resembles, or None."""

    def hint(self, lang: Lang) -> str:
        """Return the hint; without a similar name it suggests none."""
        if self.values["near"] is None:
            return text("bank.problem_unknown.hint_without_name", lang)
        return super().hint(lang)


def _normal(name: str) -> str:
    key = name.strip().lower().replace("-", "_")
    return key.zfill(2) if key.isascii() and key.isdigit() else key
