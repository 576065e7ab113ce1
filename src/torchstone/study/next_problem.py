"""The recommended next problem: it follows what the learner has proven last."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from torchstone.core.i18n import LANGS, Lang, both, text


class ProblemFacts(Protocol):
    """The facts of a problem that the mastery map needs; a problem of the bank has all of them."""

    @property
    def id(self) -> str:
        """Return the number of the problem."""

    @property
    def part(self) -> int:
        """Return the part of the bank to which it belongs."""

    @property
    def stars(self) -> int:
        """Return the difficulty."""

    @property
    def concepts(self) -> Sequence[str]:
        """Return the ids of the questions that it practises."""

    @property
    def prerequisites(self) -> Sequence[str]:
        """Return the ids of the prerequisites."""


class PathFacts(Protocol):
    """The facts of a path that the next problem needs; a path of the bank has all of them."""

    @property
    def problem_ids(self) -> Sequence[str]:
        """Return the problem ids in order."""

    def said_title(self, lang: Lang) -> str:
        """Return the title in one language."""

    def said_why(self, problem_id: str, lang: Lang) -> str:
        """Return the reason why the path contains a problem."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextProblem:
    """The recommended next problem, and the reason."""

    problem_id: str
    is_review: bool
    reason: dict[str, str]


def choose_next(
    problems: Sequence[ProblemFacts],
    *,
    proven: Collection[str],
    tried: Collection[str],
    after: str | None,
    path: PathFacts | None = None,
) -> NextProblem | None:
    """Choose the next problem: of the path, if one is followed and not completed.

    Otherwise prefer problems that build on ``after``, then those of its part, then the easiest.

    A problem is ready if each of its prerequisites is proven, or is needed for a problem that is
    proven. In the part of ``after`` the later problems come first, in the order of the bank.

    Args:
        problems: The problems of the bank, in its order.
        proven: The ids of the proven problems.
        tried: The ids of those that the learner has only begun.
        after: The problem that the learner has proven last; None if there is none.
        path: The path that the learner follows.

    Returns:
        None if all problems are proven.
    """
    if path is not None:
        on_path = _next_on(path, problems, proven)
        if on_path is not None:
            return on_path
    ready = _ready(problems, proven)
    if not ready:
        return None
    last = next((one for one in problems if one.id == after), None)
    if last is None:
        # `min` returns the first of equals: a started problem before a new one, then the bank's
        # order.
        chosen = min(ready, key=lambda one: _effort(one, tried))
        why = "begun" if chosen.id in tried else "new"
        reason = both(f"study.next.{why}", stars=chosen.stars)
    else:
        chosen, why = _follow(problems, ready, tried, last)
        reason = both(f"study.next.{why}", stars=chosen.stars, after=last.id, part=last.part)
        if chosen.id in tried:
            reason = {lang: text("study.next.begun_too", lang, why=reason[lang]) for lang in LANGS}
    return NextProblem(problem_id=chosen.id, is_review=False, reason=reason)


def _next_on(
    path: PathFacts, problems: Sequence[ProblemFacts], proven: Collection[str]
) -> NextProblem | None:
    known = {one.id for one in problems}
    order = [problem_id for problem_id in path.problem_ids if problem_id in known]
    for number, problem_id in enumerate(order, 1):
        if problem_id not in proven:
            reason: dict[str, str] = {
                lang: text(
                    "study.next.path",
                    lang,
                    number=number,
                    count=len(order),
                    path=path.said_title(lang),
                    why=path.said_why(problem_id, lang),
                )
                for lang in LANGS
            }
            return NextProblem(problem_id=problem_id, is_review=False, reason=reason)
    return None


def _ready(problems: Sequence[ProblemFacts], proven: Collection[str]) -> list[ProblemFacts]:
    prerequisites = {one.id: one.prerequisites for one in problems}
    known: set[str] = set()
    coming = [problem_id for problem_id in prerequisites if problem_id in proven]
    while coming:
        problem_id = coming.pop()
        if problem_id not in known:
            known.add(problem_id)
            coming.extend(prerequisites.get(problem_id, ()))
    return [
        one
        for one in problems
        # Ignore a prerequisite from a pack that is not installed.
        if one.id not in proven
        and all(needed in known or needed not in prerequisites for needed in one.prerequisites)
    ]


def _effort(problem: ProblemFacts, tried: Collection[str]) -> tuple[int, bool]:
    return problem.stars, problem.id not in tried


def _follow(
    problems: Sequence[ProblemFacts],
    ready: Sequence[ProblemFacts],
    tried: Collection[str],
    last: ProblemFacts,
) -> tuple[ProblemFacts, str]:
    """Choose the problem after ``last``, and the key of the reason."""

    def easiest(among: Sequence[ProblemFacts]) -> ProblemFacts:
        return min(among, key=lambda one: _effort(one, tried))

    if builders := [one for one in ready if last.id in one.prerequisites]:
        return easiest(builders), "builds_on"
    same_part = [one for one in ready if one.part == last.part]
    place = problems.index(last)
    if later := [one for one in same_part if problems.index(one) > place]:
        # The bank is ordered as a course.
        return later[0], "later_in_part"
    if same_part:
        return easiest(same_part), "rest_of_part"
    return easiest(ready), "other_part"
