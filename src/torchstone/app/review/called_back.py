"""Questions that a wrong submission makes due."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from torchstone.app.judging.submission import Judged
from torchstone.app.questions.question_state import find_question_state, item_of_question
from torchstone.bank.mistaken import load_mistaken
from torchstone.core.verdict import Verdict
from torchstone.study import MistakenProgram, Rating, Recall, bring_forward

if TYPE_CHECKING:
    from torchstone.store import Store


def call_back(store: Store, judged: Judged, now: datetime) -> tuple[str, ...]:
    """Make the questions due that the misconception of a wrong submission concerns.

    Unseen questions stay unseen, due questions stay due, and a submission counts once.

    Returns:
        The questions that are due by it.
    """
    found = judged.misconception
    if judged.verdict is not Verdict.WA or judged.submission is None or found is None:
        return ()
    of_problem = load_mistaken().get(judged.problem.id, {})
    evidence = MistakenProgram(problem=judged.problem.id, submission=judged.submission)
    return tuple(
        number for number in of_problem.get(found.name, ()) if _record(store, number, evidence, now)
    )


def _record(store: Store, number: str, evidence: MistakenProgram, now: datetime) -> bool:
    item = item_of_question(number)
    state = find_question_state(store, number, now)
    if state.entry is None or state.recall is Recall.DUE:
        return False
    if any(entry.evidence == evidence.as_json() for entry in store.review_log(item)):
        return False
    scheduled = bring_forward(state.entry.card, now)
    return store.record_review(
        item,
        previous=state.entry.card,
        rating=Rating.AGAIN,
        evidence=evidence.as_json(),
        card=scheduled.card,
        due=scheduled.due,
        reviewed_at=now,
    )
