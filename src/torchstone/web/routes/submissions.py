"""Routes of submissions: run, submit, follow, cancel, compare, history."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query
from starlette.responses import Response

from torchstone.app.home import Home
from torchstone.app.judging import comparing, history, receipts, streaming, syntax
from torchstone.app.problems import working
from torchstone.app.problems.catalog import title_of
from torchstone.web.progress_schemas import SubmissionLine
from torchstone.web.reports import model_of, report_model
from torchstone.web.routes.bench import spans_of
from torchstone.web.schemas import Comparison, ProblemId, Texts
from torchstone.web.stream import EventStream
from torchstone.web.verdict_schemas import (
    Accepted,
    Ask,
    Cancelled,
    Hand,
    History,
    JudgeEvent,
    Program,
    Submission,
    SyntaxCheck,
    Tried,
)

EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events; the data of each is one JSON object.",
        "model": JudgeEvent,
        "content": {"text/event-stream": {}},
    }
}


def add_judging(router: APIRouter, home: Home, closing: asyncio.Event) -> None:
    """Add the routes that judge programs."""
    checker = syntax.SyntaxChecker(home)

    @router.post("/problems/{problem_id}/submissions", status_code=202)
    async def submit(problem_id: ProblemId, hand: Hand) -> Accepted:
        if hand.spans:
            # Before the submission is stored, so that this work belongs to it.
            await asyncio.to_thread(working.note_work, home, problem_id, spans_of(hand.spans))
        submission = await streaming.accept(
            home, problem_id, hand.source, kind=hand.kind, client_key=hand.key
        )
        return Accepted(id=submission)

    @router.post("/problems/{problem_id}/try")
    async def try_input(problem_id: ProblemId, ask: Ask) -> Tried:
        # Not in a thread: a few endless programs would occupy all threads.
        tried = await streaming.try_input(home, problem_id, ask.source, ask.expression)
        return model_of(Tried, tried)

    @router.post("/problems/{problem_id}/syntax")
    async def check_syntax(problem_id: ProblemId, text: Program) -> SyntaxCheck:
        return model_of(SyntaxCheck, await checker.check(problem_id, text.source))

    @router.post("/submissions/{submission}/events", response_model=None, responses=EVENTS)
    async def events(
        submission: str, last_event_id: Annotated[str | None, Header()] = None
    ) -> EventStream:
        return EventStream(home, submission, last_event_id, closing)

    @router.post("/submissions/{submission}/cancel")
    async def cancel(submission: str) -> Cancelled:
        return Cancelled(cancelled=await streaming.cancel(home, submission))


def add_history(router: APIRouter, home: Home) -> None:
    """Add the routes of judged submissions."""

    @router.get("/problems/{problem_id}/submissions")
    def list_history(
        problem_id: ProblemId,
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
        before: str | None = None,
        kind: Literal["submit", "run"] | None = None,
    ) -> History:
        problem = home.problem(problem_id)
        lines = history.list_history(home, problem_id, kind=kind, limit=limit, before=before)
        named = {"problem_id": problem.id, "title": title_of(problem)}
        num_submissions = history.count_submissions(home, problem_id)
        num_runs = history.count_submissions(home, problem_id, kind="run")
        totals = {"submit": num_submissions, "run": num_runs, None: num_submissions + num_runs}
        return History(
            submissions=[SubmissionLine.model_validate(asdict(line) | named) for line in lines],
            total=totals[kind],
            num_submissions=num_submissions,
            num_runs=num_runs,
        )

    @router.get("/submissions/{submission}")
    def show(submission: str) -> Submission:
        found = history.read_submission(home, submission)
        line = model_of(SubmissionLine, found)
        return Submission(
            **line.model_dump(),
            source=found.source,
            report=report_model(found.judged) if found.judged else None,
            plan=list(found.judged.plan) if found.judged else [],
        )

    @router.get("/submissions/{submission}/receipt", response_class=Response)
    def receipt(submission: str) -> Response:
        found, source = receipts.find_receipt(home, submission)
        document = json.dumps(found | {"source": source}, ensure_ascii=False, indent=1) + "\n"
        # Not the receipt's own id: an imported receipt can contain any text there.
        name = f"torchstone-receipt-{''.join(filter(str.isalnum, submission))[:12]}.json"
        return Response(
            document,
            media_type="application/json",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    @router.get("/submissions/{first}/diff/{second}")
    def diff(first: str, second: str) -> Comparison:
        return model_of(Comparison, comparing.compare_submissions(home, first, second))

    @router.post("/diff")
    def diff_texts(texts: Texts) -> Comparison:
        return model_of(Comparison, comparing.compare_texts(texts.first, texts.second))
