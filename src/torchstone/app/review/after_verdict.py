"""Reviews from judged submissions, and the follow-up to a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from torchstone.app.home import Home
from torchstone.app.judging.submission import Judged
from torchstone.app.problems.problem_state import (
    ProblemState,
    facts_of,
    find_state,
    find_states,
    highest_rung,
    item_of,
    local_now,
    standings_of,
)
from torchstone.app.review.called_back import call_back
from torchstone.bank import Bank, Problem
from torchstone.core.verdict import Verdict
from torchstone.study import NextProblem, draw_map, explain_date, gather_evidence, rate, review

if TYPE_CHECKING:
    from torchstone.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewNote:
    """A review as it is shown to the learner.

    Args:
        rating: 1 Again, 2 Hard, 3 Good, 4 Easy; None if an earlier review is still valid.
        reason: The reason of the rating, in both languages.
        due: The next due date of the problem.
        date_reason: The reason of the date, in both languages.
    """

    rating: int | None
    reason: dict[str, str] | None
    due: datetime
    date_reason: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Aftermath:
    """The consequences of a recorded verdict.

    Args:
        attempt: The number of tries so far; this one is the last, if its verdict is a try.
        rungs_open: The highest open rung of the hints.
        num_rungs: The number of all rungs.
        num_solutions: The number of model solutions that an acceptance opens.
        review: The review; None before the problem is settled.
        unlocked: The ids of the problems whose last missing prerequisite this was.
        next: The recommended next problem.
    """

    attempt: int
    rungs_open: int
    num_rungs: int
    num_solutions: int
    review: ReviewNote | None
    unlocked: tuple[str, ...]
    next: NextProblem | None


def conclude(home: Home, judged: Judged) -> Aftermath:
    """Record the reviews that a verdict calls for, once, and return the consequences.

    A second call for the same submission changes nothing: a review moves the due date, and no
    evidence counts before that date.
    """
    problem, now = judged.problem, local_now()
    with home.open_store() as store:
        note = settle(store, problem, now, submission=judged.submission)
        call_back(store, judged, now)
        state = find_state(store, problem, now)
        rungs_open = highest_rung(store, state)
        states = find_states(store, home.bank, now)
        after = problem.id if judged.verdict is Verdict.AC else None
        path = home.find_path(store.chosen_path())
        drawn = draw_map(facts_of(home.bank), standings_of(states), now, after=after, path=path)
        proven = {one.problem_id for one in drawn.problems if one.status == "proven"}
    has_proven = judged.verdict is Verdict.AC and note is not None and note.rating is not None
    return Aftermath(
        attempt=state.progress.attempts,
        rungs_open=rungs_open,
        num_rungs=len(problem.hints),
        num_solutions=1 + len(problem.good),
        review=note,
        unlocked=_unlocked(home, problem, proven) if has_proven else (),
        next=drawn.next,
    )


def settle(
    store: Store, problem: Problem, now: datetime, *, submission: str | None = None
) -> ReviewNote | None:
    """Record a review if the evidence since the last one requires it.

    Evidence counts at the first settlement of a problem and whenever it is due, so a second
    submission of the same file is not a second proof.

    Returns:
        The valid review; None if there is none yet.
    """
    state = find_state(store, problem, now)
    if not state.is_open:
        return _valid_note(state)
    activity = store.activity(problem.id, since=state.evidence_since)
    evidence = gather_evidence(activity, planned_minutes=problem.spec.minutes.practice)
    if not evidence.accepted and not evidence.solution_seen:
        return _valid_note(state)
    rated = rate(evidence)
    previous = state.card.card if state.card else None
    scheduled = review(previous, rated.rating, now)
    is_recorded = store.record_review(
        item_of(problem),
        previous=previous,
        rating=rated.rating,
        evidence=evidence.as_json() | {"submission": submission},
        card=scheduled.card,
        due=scheduled.due,
        reviewed_at=now,
    )
    if not is_recorded:
        # Another process has recorded a review since the query above; its review is valid.
        return _valid_note(find_state(store, problem, now))
    return ReviewNote(
        rating=rated.rating,
        reason=rated.reason,
        due=scheduled.due,
        date_reason=explain_date(scheduled.card, now).sentence,
    )


def settle_all(store: Store, bank: Bank, now: datetime) -> dict[str, ProblemState]:
    """Record the missing reviews of all acceptances.

    Returns:
        The learner's state with every touched problem, by problem id.
    """
    states = find_states(store, bank, now)
    notes = [
        settle(store, bank.get(problem_id), now)
        for problem_id, state in states.items()
        if state.is_open and state.is_over
    ]
    is_changed = any(note is not None and note.rating is not None for note in notes)
    return find_states(store, bank, now) if is_changed else states


def _valid_note(state: ProblemState) -> ReviewNote | None:
    if state.card is None:
        return None
    why = explain_date(state.card.card, state.now).sentence
    return ReviewNote(rating=None, reason=None, due=state.card.due, date_reason=why)


def _unlocked(home: Home, problem: Problem, proven: set[str]) -> tuple[str, ...]:
    return tuple(
        each.id
        for each in home.bank
        if problem.id in each.spec.prerequisites
        and each.id not in proven
        and all(needed in proven for needed in each.spec.prerequisites)
    )
