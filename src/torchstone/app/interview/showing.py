"""Candidate's view: the item, its material and the clocks, without key points and scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from torchstone.app.interview.marking import asserted_lines
from torchstone.app.interview.material import Material
from torchstone.bank.statement import whole_statement
from torchstone.core.i18n import LANGS
from torchstone.interview.item import Item, Kind
from torchstone.interview.plan import Plan
from torchstone.interview.session import Entry, Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Item as presented to the candidate.

    Args:
        words: Question, or title of the program.
        statement: The statement of a program; None for other kinds.
        starter: The starter of a program.
        before: Cell of a prediction.
        after: Cell with the variation.
        claims: Claims to choose from: id and asserting line.
    """

    id: str
    kind: str
    section: int
    minutes: float
    rule: str
    because: str
    words: dict[str, str]
    statement: dict[str, str] | None = None
    starter: str | None = None
    before: str | None = None
    after: str | None = None
    claims: tuple[tuple[str, str], ...] = field(default=())


def show_item(material: Material, entry: Entry) -> Asked:
    """Return an item as presented to the candidate."""
    item = entry.item
    more: dict[str, Any] = {}
    if item.kind is Kind.CODE:
        problem = material.problem(item)
        more = {
            "statement": {lang: whole_statement(problem, lang) for lang in LANGS},
            "starter": problem.starter,
        }
    elif item.kind is Kind.PREDICT:
        more = _prediction(material, item)
    return Asked(
        id=item.id,
        kind=str(item.kind),
        section=item.section,
        minutes=item.minutes,
        rule=str(entry.offer.rule),
        because=str(entry.offer.because),
        words=material.words(item),
        **more,
    )


def clocks(session: Session, plan: Plan, elapsed_ms: int) -> dict[str, Any]:
    """Return the readings of the clocks, in seconds.

    Unused minutes of a section are added to the next one, so the section's clock ends at its
    planned end.
    """
    setting, current = session.setting, session.current
    left = session.item_left_s(elapsed_ms)
    section_left = None
    if current is not None:
        end = plan.drawn.ends[current.item.section - 1]
        section_left = round(60 * end * setting.factor - elapsed_ms / 1000, 1)
    return {
        "elapsed_s": round(elapsed_ms / 1000, 1),
        "item_left_s": None if left is None else round(left, 1),
        "section_left_s": section_left,
        "total_left_s": round(60 * setting.minutes * setting.factor - elapsed_ms / 1000, 1),
        "running": session.state in ("answering", "between"),
    }


def _prediction(material: Material, item: Item) -> dict[str, Any]:
    question, change = material.question(item), material.change(item)
    topic = material.home.questions.topic(question.topic_id)
    cell = topic.demo.cell(change.cell)
    assert cell is not None, "`questions check` proves that a change names a cell"
    return {
        "before": cell.source,
        "after": cell.source.replace(change.before, change.after, 1),
        "claims": tuple(asserted_lines(material, item).items()),
    }
