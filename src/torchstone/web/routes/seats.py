"""Routes of the candidate's window of an interview that a person leads; they add no event.

No response here holds a key point, an anchor, a hidden case, a note, a score, another item, or why
an item is asked.
"""

from __future__ import annotations

from fastapi import APIRouter

from torchstone.app.home import Home
from torchstone.app.interview.seating import view_seat
from torchstone.app.interview.serving import ServedInterviews, require_item
from torchstone.app.interview.viewing import run_samples
from torchstone.core.i18n import Lang
from torchstone.web import interview_schemas as shape
from torchstone.web.interview_models import seat_model
from torchstone.web.reports import model_of

_ADDRESS = "/seats/{interview}"


def add_seats(router: APIRouter, home: Home, served: ServedInterviews) -> None:
    """Add the routes."""

    @router.get(_ADDRESS, operation_id="show_seat")
    def show(interview: shape.InterviewId, lang: Lang = "en") -> shape.SeatPage:
        return seat_model(view_seat(home, interview, served.find(interview)), lang)

    @router.put(f"{_ADDRESS}/draft", operation_id="keep_seat_draft")
    def keep(interview: shape.InterviewId, body: shape.KeepDraft) -> shape.DraftKept:
        with served.led(interview) as kept:
            require_item(kept.running, body.item)
            kept.save_draft(body.item, body.text)
        return shape.DraftKept()

    @router.post(f"{_ADDRESS}/run", operation_id="run_seat_samples")
    def run(interview: shape.InterviewId, body: shape.KeepDraft) -> shape.SampleRun:
        with served.led(interview) as kept:
            require_item(kept.running, body.item)
            kept.save_draft(body.item, body.text)
        return model_of(shape.SampleRun, run_samples(home, kept.running, body.text))
