"""Routes of questions: list, ask, hand in, show, correct, predict, run a cell, undo.

Before an answer was handed in or asked for, no response says anything of it.
"""

from __future__ import annotations

from fastapi import APIRouter

from torchstone.app.home import Home
from torchstone.app.questions import asking, catalog, cells, running
from torchstone.app.questions.answered import Corrections
from torchstone.app.review import question_reviews
from torchstone.core.i18n import Lang
from torchstone.web import question_schemas as shape
from torchstone.web.catalogue import list_chapters
from torchstone.web.progress_schemas import ReviewEntry, ReviewLog
from torchstone.web.question_models import answer_model, marked_model
from torchstone.web.reports import model_of

_ADDRESS = "/questions/{question_id}"


def add_questions(router: APIRouter, home: Home) -> None:
    """Add the routes that say nothing of an answer."""

    @router.get("/questions")
    def list_questions() -> shape.QuestionList:
        found = catalog.list_questions(home)
        return shape.QuestionList(
            chapters=list_chapters(),
            topics=[model_of(shape.TopicRow, topic) for topic in found.topics],
            broken=[shape.BrokenTopicFolder(**each) for each in found.broken],
            next_id=found.next_id,
        )

    @router.get(_ADDRESS)
    def ask(question_id: shape.QuestionId) -> shape.QuestionPage:
        return _page(home, question_id)

    @router.get(f"{_ADDRESS}/log", operation_id="question_log")
    def log(question_id: shape.QuestionId) -> ReviewLog:
        lines = question_reviews.question_log(home, question_id)
        return ReviewLog(entries=[model_of(ReviewEntry, line) for line in lines])

    @router.post(f"{_ADDRESS}/undo", operation_id="undo_answer")
    def undo(question_id: shape.QuestionId, body: shape.UndoAnswer) -> shape.QuestionPage:
        question_reviews.undo_question(home, question_id, reviewed_at=body.reviewed_at)
        return _page(home, question_id)


def add_answers(router: APIRouter, home: Home) -> None:
    """Add the routes that say something of an answer."""

    @router.post(f"{_ADDRESS}/answer")
    def hand_in(
        question_id: shape.QuestionId, body: shape.HandIn, lang: Lang = "en"
    ) -> shape.Outcome:
        given = asking.Given(
            text=body.text,
            said=body.said,
            seconds=body.seconds,
            corrections=Corrections(
                credited=body.credited,
                denied=body.denied,
                taken_back=body.taken_back,
            ),
        )
        answered = asking.hand_in(home, question_id, given)
        return shape.Outcome(
            marked=marked_model(answered, given), model=answer_model(home, question_id, lang)
        )

    @router.post(f"{_ADDRESS}/show")
    def show(question_id: shape.QuestionId, body: shape.Show, lang: Lang = "en") -> shape.Outcome:
        marked = None
        if not body.is_aloud:
            marked = marked_model(asking.note_shown(home, question_id), asking.Given())
        return shape.Outcome(marked=marked, model=answer_model(home, question_id, lang))

    @router.post(f"{_ADDRESS}/corrections")
    def correct(
        question_id: shape.QuestionId, body: shape.Correct, lang: Lang = "en"
    ) -> shape.Outcome:
        made = Corrections(
            credited=body.credited,
            denied=body.denied,
            taken_back=body.taken_back,
            of=body.of,
        )
        answered, given = asking.correct(home, question_id, made)
        return shape.Outcome(
            marked=marked_model(answered, given), model=answer_model(home, question_id, lang)
        )

    @router.post(f"{_ADDRESS}/predict")
    def predict(question_id: shape.QuestionId, body: shape.Predict) -> shape.Predicted:
        found = cells.predict(home, question_id, body.change, body.claims)
        return model_of(shape.Predicted, found)

    @router.post(f"{_ADDRESS}/run", operation_id="run_cell")
    def run_cell(question_id: shape.QuestionId, body: shape.RunCell) -> shape.CellRun:
        found = running.run_cell(home, question_id, body.cell, edited=body.source)
        return shape.CellRun(
            ok=found.ok,
            stdout=found.stdout,
            claims=[shape.ClaimState(id=name, held=held) for name, held in found.claims.items()],
            error=model_of(shape.CellError, found.error) if found.error else None,
            isolation=found.isolation,
            time_ms=found.time_ms,
        )


def _page(home: Home, number: str) -> shape.QuestionPage:
    return model_of(shape.QuestionPage, catalog.show_question(home, number))
