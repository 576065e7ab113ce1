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
    standings,
)
from torchstone.bank import Bank, Problem
from torchstone.core.verdict import Verdict
from torchstone.study import NextProblem, draw_map, explain_date, gather_evidence, rate, review

if TYPE_CHECKING:
    from torchstone.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewNote:
    """A review as a learner reads it.

    Args:
        rating: 1 Again, 2 Hard, 3 Good, 4 Easy; None when an earlier review still holds.
        reason: Why this rating, in both languages.
        due: When to write the problem again.
        date_reason: Why then, in both languages.
    """

    rating: int | None
    reason: dict[str, str] | None
    due: datetime
    date_reason: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Aftermath:
    """What a recorded verdict leads to.

    Args:
        attempt: Which attempt it was.
        rungs_open: The highest rung of the hints that is open.
        num_rungs: How many there are.
        num_solutions: How many model solutions an acceptance opens.
        review: When it comes back; None before the problem is settled.
        unlocked: The ids of the problems whose last missing prerequisite this was.
        next: What to do next.
    """

    attempt: int
    rungs_open: int
    num_rungs: int
    num_solutions: int
    review: ReviewNote | None
    unlocked: tuple[str, ...]
    next: NextProblem | None


def conclude(home: Home, judged: Judged) -> Aftermath:
    """Rate and schedule what a verdict proves, once, and say what comes next.

    Calling it again for the same submission changes nothing: a review moves the due date, and
    before that date no evidence counts.
    """
    problem, now = judged.problem, local_now()
    with home.open_store() as store:
        note = settle(store, problem, now, submission=judged.submission)
        place = find_state(store, problem, now)
        rungs_open = highest_rung(store, place)
        places = find_states(store, home.bank, now)
        drawn = draw_map(facts_of(home.bank), standings(places), now)
        proven = {one.problem_id for one in drawn.problems if one.status == "proven"}
    has_proven = judged.verdict is Verdict.AC and note is not None and note.rating is not None
    return Aftermath(
        attempt=place.progress.attempts,
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
    """Record a review if the evidence since the last one calls for it.

    Evidence counts at the first settlement of a problem and whenever it is due, so that handing
    in the same file twice is not a second proof.

    Returns:
        The review that holds now; None when there is none yet.
    """
    place = find_state(store, problem, now)
    if not place.is_open:
        return _standing_note(place)
    activity = store.activity(problem.id, since=place.evidence_since)
    evidence = gather_evidence(activity, planned_minutes=problem.spec.minutes.practice)
    if not evidence.accepted and not evidence.solution_seen:
        return _standing_note(place)
    rated = rate(evidence)
    previous = place.card.card if place.card else None
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
        # Another terminal has reviewed it between our look and our word; theirs holds.
        return _standing_note(find_state(store, problem, now))
    return ReviewNote(
        rating=rated.rating,
        reason=rated.reason,
        due=scheduled.due,
        date_reason=explain_date(scheduled.card, now).sentence,
    )


def settle_all(store: Store, bank: Bank, now: datetime) -> dict[str, ProblemState]:
    """Record the reviews of all acceptances that nobody has looked at since they were judged.

    Returns:
        Where the learner stands then with every problem that was touched, by its id.
    """
    places = find_states(store, bank, now)
    notes = [
        settle(store, bank.get(problem_id), now)
        for problem_id, place in places.items()
        if place.is_open and place.is_over
    ]
    is_changed = any(note is not None and note.rating is not None for note in notes)
    return find_states(store, bank, now) if is_changed else places


def _standing_note(place: ProblemState) -> ReviewNote | None:
    if place.card is None:
        return None
    why = explain_date(place.card.card, place.now).sentence
    return ReviewNote(rating=None, reason=None, due=place.card.due, date_reason=why)


def _unlocked(home: Home, problem: Problem, proven: set[str]) -> tuple[str, ...]:
    return tuple(
        each.id
        for each in home.bank
        if problem.id in each.spec.prerequisites
        and each.id not in proven
        and all(needed in proven for needed in each.spec.prerequisites)
    )
