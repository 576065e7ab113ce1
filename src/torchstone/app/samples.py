"""Judge answers that ship with a problem: what Torchstone does, for those who only look."""

from collections.abc import Iterator
from dataclasses import dataclass

from torchstone.app.home import Home
from torchstone.app.judging import Judged, OnEvent, judge_text
from torchstone.bank import Variant

PROBLEM = "01"
NUM_WRONG = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleVerdict:
    """One sample answer, and what the judge says to it."""

    file: str
    judged: Judged


def judge_samples(home: Home, on_event: OnEvent) -> Iterator[SampleVerdict]:
    """Judge the model solution of the first problem and some wrong answers; nothing is recorded."""
    problem = home.problem(PROBLEM)
    for variant in (problem.solution, *_telling(problem.wrong)):
        judged = judge_text(home, problem, variant.source, on_event)
        yield SampleVerdict(file=variant.path.relative_to(problem.path).as_posix(), judged=judged)


def _telling(wrong: tuple[Variant, ...]) -> list[Variant]:
    """Choose wrong answers that fail in different groups."""
    by_group: dict[str | None, Variant] = {}
    for variant in wrong:
        by_group.setdefault(variant.group, variant)
    return list(by_group.values())[:NUM_WRONG]
