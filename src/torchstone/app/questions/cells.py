"""Cells that prove an answer: their code, recorded output, and changes to predict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torchstone.app.home import Home
from torchstone.app.questions.answered import Ids
from torchstone.app.questions.asking import find_question
from torchstone.bank.questions import DemoCell, Question
from torchstone.core.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class CellClaim:
    """Claim of a cell, and the line that asserts it."""

    id: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CellChange:
    """Edit of a cell; the learner predicts which claims become false.

    Args:
        number: Its number among the changes of the question, from 0.
    """

    number: int
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCell:
    """Cell as shown with the answer.

    Args:
        source: Code, with the output recorded when it was proven.
        torch: Version of torch used for the recording.
    """

    name: str
    source: str
    printed: str
    torch: str
    claims: tuple[CellClaim, ...]
    changes: tuple[CellChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """Effect of an edit of a cell, compared with the learner's prediction.

    Args:
        fails: Claims that become false; all others of the question hold.
        missed: False claims that were not predicted.
        surplus: Predicted claims that hold.
    """

    fails: Ids
    missed: Ids
    surplus: Ids
    is_right: bool


def show_cells(home: Home, number: str) -> tuple[ShownCell, ...]:
    """Return the cells of a question, after the shared set-up of its topic."""
    topic, question = find_question(home, number)
    cells = (*topic.demo.setup, *topic.demo.of(question.id))
    return tuple(_shown(question, cell, topic.spec.torch) for cell in cells)


def predict(home: Home, number: str, change: int, claims: Sequence[str]) -> Prediction:
    """Compare a prediction with the actual effect of a proven change.

    Args:
        home: The learner's home.
        number: The question.
        change: The number of the change, see ``CellChange``.
        claims: The claims that the learner expects to fail.

    Raises:
        BadInput: There is no such change, or a claim does not belong to the question.
    """
    topic, question = find_question(home, number)
    known = topic.demo.claims_of(question.id)
    if not 0 <= change < len(question.changes):
        raise BadInput("app.change_unknown", question=question.id, count=len(question.changes))
    for claim in claims:
        if claim not in known:
            raise BadInput("app.claim_unknown", question=question.id, claim=claim[:60])
    fails = question.changes[change].fails
    missed = tuple(claim for claim in fails if claim not in claims)
    surplus = tuple(claim for claim in dict.fromkeys(claims) if claim not in fails)
    return Prediction(
        fails=fails, missed=missed, surplus=surplus, is_right=not missed and not surplus
    )


def _shown(question: Question, cell: DemoCell, torch: str) -> ShownCell:
    lines = cell.source.splitlines()
    return ShownCell(
        name=cell.name,
        source=cell.source.strip("\n"),
        printed=cell.printed,
        torch=torch,
        claims=tuple(
            CellClaim(id=claim, line=lines[line - 1].partition("# claim:")[0].strip())
            for line, claim in cell.claims.items()
        ),
        changes=tuple(
            CellChange(number=number, before=change.before, after=change.after)
            for number, change in enumerate(question.changes)
            if change.cell == cell.name
        ),
    )
