"""Routes of interviews: begin, answer, run, pause, end, report; and those of one who leads."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from torchstone.app.home import Home
from torchstone.app.interview import advising, guiding, reading, viewing
from torchstone.app.interview.holding import Kept
from torchstone.app.interview.planning import read_setting
from torchstone.app.interview.serving import ServedInterviews, require_item
from torchstone.core.i18n import Lang
from torchstone.interview.levels import Mode
from torchstone.interview.page import draw_page
from torchstone.web import interview_schemas as shape
from torchstone.web.interview_models import lead_model, page_model
from torchstone.web.interview_report_schemas import InterviewReport
from torchstone.web.reports import model_of

_ADDRESS = "/interviews/{interview}"


def add_interviews(router: APIRouter, home: Home, served: ServedInterviews) -> None:
    """Add the routes of the list."""

    @router.get("/interviews")
    def list_interviews() -> shape.InterviewList:
        served.prepare()
        return _list(home)

    @router.post("/interviews", operation_id="begin_interview")
    def begin(body: shape.BeginInterview, lang: Lang = "en") -> shape.Begun:
        setting = read_setting(
            level=body.level,
            minutes=body.minutes,
            seed=body.seed,
            mode=body.mode,
            factor=body.factor,
        )
        return shape.Begun(id=served.begin(setting, label=body.label, lang=lang).name)

    @router.delete(_ADDRESS, operation_id="delete_interview")
    def delete(interview: shape.InterviewId) -> shape.InterviewList:
        served.delete(interview)
        return _list(home)


def add_acts(router: APIRouter, home: Home, served: ServedInterviews) -> None:
    """Add the routes of one who answers; each of them returns the state after it."""

    @router.post(f"{_ADDRESS}/hold", operation_id="hold_interview")
    def hold(interview: shape.InterviewId, lang: Lang = "en") -> shape.InterviewPage:
        return _page(served.hold(interview), lang)

    @router.put(f"{_ADDRESS}/draft", operation_id="keep_interview_draft")
    def keep(interview: shape.InterviewId, body: shape.KeepDraft) -> shape.DraftKept:
        with served.either(interview) as kept:
            require_item(kept.running, body.item)
            kept.save_draft(body.item, body.text)
        return shape.DraftKept()

    @router.post(f"{_ADDRESS}/answer", operation_id="answer_item")
    def answer(
        interview: shape.InterviewId, body: shape.AnswerItem, lang: Lang = "en"
    ) -> shape.InterviewPage:
        with served.alone(interview) as kept:
            require_item(kept.running, body.item)
            kept.running.answer(body.text, body.set)
            return _page(kept, lang)

    @router.post(f"{_ADDRESS}/skip", operation_id="skip_item")
    def skip(
        interview: shape.InterviewId, body: shape.SkipItem, lang: Lang = "en"
    ) -> shape.InterviewPage:
        with served.either(interview) as kept:
            require_item(kept.running, body.item)
            if kept.running.plan.setting.mode is Mode.CONDUCT:
                kept.running.skip(guiding.require_reason(body.reason))
            else:
                kept.running.skip("candidate")
            return _page(kept, lang)

    @router.post(f"{_ADDRESS}/run", operation_id="run_interview_samples")
    def run(interview: shape.InterviewId, body: shape.KeepDraft) -> shape.SampleRun:
        kept = served.hold(interview)
        require_item(kept.running, body.item)
        kept.save_draft(body.item, body.text)
        return model_of(shape.SampleRun, viewing.run_samples(home, kept.running, body.text))

    _add_turns(router, served)


def _add_turns(router: APIRouter, served: ServedInterviews) -> None:
    @router.post(f"{_ADDRESS}/next", operation_id="next_item")
    def following(interview: shape.InterviewId, lang: Lang = "en") -> shape.InterviewPage:
        with served.either(interview) as kept:
            kept.running.next()
            return _page(kept, lang)

    @router.post(f"{_ADDRESS}/pause", operation_id="pause_interview")
    def pause(interview: shape.InterviewId, lang: Lang = "en") -> shape.InterviewPage:
        with served.either(interview) as kept:
            kept.running.pause()
            return _page(kept, lang)

    @router.post(f"{_ADDRESS}/resume", operation_id="resume_interview")
    def resume(interview: shape.InterviewId, lang: Lang = "en") -> shape.InterviewPage:
        with served.either(interview) as kept:
            kept.running.resume()
            return _page(kept, lang)

    @router.post(f"{_ADDRESS}/end", operation_id="end_interview")
    def end(interview: shape.InterviewId, lang: Lang = "en") -> shape.InterviewPage:
        with served.either(interview) as kept:
            is_led = kept.running.plan.setting.mode is Mode.CONDUCT
            kept.running.end("interviewer" if is_led else "candidate")
            return _page(kept, lang)


def add_lead(router: APIRouter, served: ServedInterviews) -> None:
    """Add the routes of one who leads; each of them returns the guide and the state after it."""

    @router.post(f"{_ADDRESS}/guide", operation_id="guide_interview")
    def guide(interview: shape.InterviewId, lang: Lang = "en") -> shape.LeadPage:
        with served.led(interview) as kept:
            return _lead(kept, lang)

    @router.put(f"{_ADDRESS}/ticks", operation_id="tick_points")
    def tick(interview: shape.InterviewId, body: shape.KeepTicks) -> shape.DraftKept:
        with served.led(interview) as kept:
            require_item(kept.running, body.item)
            kept.save_ticks(body.item, body.points)
        return shape.DraftKept()

    @router.post(f"{_ADDRESS}/notes", operation_id="note_interview")
    def note(
        interview: shape.InterviewId, body: shape.WriteNote, lang: Lang = "en"
    ) -> shape.LeadPage:
        with served.led(interview) as kept:
            kept.running.note(body.text, is_quote=body.is_quote)
            return _lead(kept, lang)

    @router.post(f"{_ADDRESS}/take", operation_id="take_answer")
    def take(
        interview: shape.InterviewId, body: shape.OpenItem, lang: Lang = "en"
    ) -> shape.LeadPage:
        with served.led(interview) as kept:
            require_item(kept.running, body.item)
            guiding.take_written(kept.running, kept.draft(body.item))
            return _lead(kept, lang)

    @router.post(f"{_ADDRESS}/score", operation_id="score_item")
    def score(
        interview: shape.InterviewId, body: shape.GiveScore, lang: Lang = "en"
    ) -> shape.LeadPage:
        with served.led(interview) as kept:
            kept.running.score(body.item, body.anchor, body.evidence, body.reason)
            return _lead(kept, lang)

    @router.post(f"{_ADDRESS}/swap", operation_id="swap_item")
    def swap(
        interview: shape.InterviewId, body: shape.SwapItem, lang: Lang = "en"
    ) -> shape.LeadPage:
        with served.led(interview) as kept:
            guiding.swap(kept.running, body.item, body.reason)
            return _lead(kept, lang)


def add_reports(router: APIRouter, home: Home) -> None:
    """Add the routes of the report, as it is shown and as a file."""

    @router.get(f"{_ADDRESS}/report", operation_id="interview_report")
    def report(interview: shape.InterviewId) -> InterviewReport:
        return InterviewReport.model_validate(reading.report_interview(home, interview))

    @router.get(f"{_ADDRESS}/file", response_class=Response, operation_id="interview_file")
    def file(
        interview: shape.InterviewId,
        kind: Annotated[str, Query(pattern="^(html|json)$")] = "html",
        lang: Lang = "en",
    ) -> Response:
        found = reading.report_interview(home, interview)
        text = draw_page(found, lang) if kind == "html" else _json(found)
        name = f"torchstone-interview-{found['id']}.{kind}"
        return Response(
            text,
            media_type="text/html" if kind == "html" else "application/json",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    @router.post(f"{_ADDRESS}/review", operation_id="review_step")
    def review(interview: shape.InterviewId, body: shape.OpenItem) -> shape.ScheduledStep:
        scheduled = advising.review_step(home, interview, body.item)
        return model_of(shape.ScheduledStep, scheduled)


def _list(home: Home) -> shape.InterviewList:
    found = reading.list_interviews(home)
    return shape.InterviewList(interviews=[shape.InterviewRow(**each) for each in found])


def _page(kept: Kept, lang: Lang) -> shape.InterviewPage:
    return page_model(viewing.view_of(kept), lang)


def _lead(kept: Kept, lang: Lang) -> shape.LeadPage:
    return lead_model(viewing.lead_of(kept), lang)


def _json(report: object) -> str:
    # As `interview report --out` writes it, so that `interview verify` names lines.
    return json.dumps(report, ensure_ascii=False, indent=1) + "\n"
