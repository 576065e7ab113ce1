"""Paths: ordered lists of problems, each with one sentence that says why it is there."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from torchstone.bank.loader import CONTENT
from torchstone.bank.schema import ProblemId, Words
from torchstone.bank.table import read_table
from torchstone.core.i18n import Lang

FILE_NAME = "paths.toml"
# "none" is what the store holds if no path is followed.
PathId = Annotated[str, Meta(pattern=r"^(?!none\Z)[a-z][a-z0-9-]*\Z", max_length=40)]


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A problem of a path, and why it is there."""

    problem: ProblemId
    why: Words


class LearningPath(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An ordered list of problems."""

    id: PathId
    title: Words
    lead: Words
    steps: Annotated[tuple[Step, ...], Meta(min_length=1)]

    def __post_init__(self) -> None:
        """Check that no problem is there twice."""
        if len(set(self.problem_ids)) < len(self.steps):
            raise ValueError(f"the path `{self.id}` has a problem twice")

    @property
    def problem_ids(self) -> tuple[str, ...]:
        """Return the problems in their order."""
        return tuple(step.problem for step in self.steps)

    def said_title(self, lang: Lang) -> str:
        """Return the title in one language."""
        return self.title.said_in(lang)

    def said_why(self, problem_id: str, lang: Lang) -> str:
        """Return why a problem of the path is there."""
        (step,) = (step for step in self.steps if step.problem == problem_id)
        return step.why.said_in(lang)


class _PathFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The content of ``paths.toml``."""

    paths: tuple[LearningPath, ...]

    def __post_init__(self) -> None:
        """Check that no two paths have one id."""
        if len({path.id for path in self.paths}) < len(self.paths):
            raise ValueError("two paths have one id")


@cache
def load_paths(root: Path = CONTENT) -> tuple[LearningPath, ...]:
    """Load the paths of a bank, once; a bank without the file has none.

    Raises:
        TorchstoneError: The file violates its schema.
    """
    file = root / FILE_NAME
    return read_table(file, _PathFile).paths if file.is_file() else ()


def present_paths(
    paths: Sequence[LearningPath], known: Collection[str]
) -> tuple[LearningPath, ...]:
    """Leave out the problems that a bank does not have, and the paths that are empty then."""
    left = ((path, tuple(step for step in path.steps if step.problem in known)) for path in paths)
    return tuple(msgspec.structs.replace(path, steps=steps) for path, steps in left if steps)


def path_faults(
    paths: Sequence[LearningPath], prerequisites: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """Yield what is wrong with paths: an unknown problem, or one before what it needs.

    Args:
        paths: The paths.
        prerequisites: The prerequisites of each problem of the bank, by its id.
    """
    for path in paths:
        before: set[str] = set()
        for problem in path.problem_ids:
            if problem not in prerequisites:
                yield f"{path.id}: there is no problem {problem}"
            for needed in prerequisites.get(problem, ()):
                if needed not in before:
                    yield f"{path.id}: {problem} needs {needed}, which does not come before it"
            before.add(problem)
