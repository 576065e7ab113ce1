"""Routes of the doctor: receive a trace, and answer about it while its reader looks around."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query, Request

from torchstone.app.programs import doctor_views
from torchstone.app.programs.doctor_traces import DoctorTraces
from torchstone.web import doctor_schemas as schemas
from torchstone.web.doctor_schemas import Columns, FileName, Moment, Number, TraceId
from torchstone.web.faults import lang_of

UPLOAD: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
Finding = Annotated[Number | None, Query()]


def add_doctor(router: APIRouter) -> None:
    """Add the routes."""
    traces = DoctorTraces()

    @router.post("/doctor/traces", response_model=schemas.TraceOpened, openapi_extra=UPLOAD)
    async def receive(
        request: Request,
        name: FileName,
        trace: TraceId | None = None,
        columns: Columns = 1200,
        is_last: bool = True,
    ) -> Any:
        found = await traces.receive(
            name,
            request.stream(),
            lang=lang_of(request.scope),
            columns=columns,
            trace=trace,
            is_last=is_last,
        )
        return {"trace": found}

    @router.get("/doctor/traces/{trace}", response_model=schemas.TraceOverview)
    async def overview(trace: TraceId) -> Any:
        return _plain(await traces.open(trace))

    @router.delete("/doctor/traces/{trace}", status_code=204)
    async def close(trace: TraceId) -> None:
        await traces.close(trace)

    @router.get("/doctor/traces/{trace}/report", response_model=schemas.Reported)
    async def report(trace: TraceId, request: Request) -> Any:
        question = {"ask": "report", "lang": lang_of(request.scope)}
        return _plain(await traces.ask(trace, doctor_views.Reported, question))

    @router.get("/doctor/traces/{trace}/picture", response_model=schemas.Picture)
    async def picture(
        trace: TraceId, begin: Moment, end: Moment, columns: Columns, finding: Finding = None
    ) -> Any:
        question = {"ask": "picture", "begin": begin, "end": end, "columns": columns}
        asked = question | {"finding": finding}
        return _plain(await traces.ask(trace, doctor_views.Picture, asked))

    _add_details(router, traces)


def _add_details(router: APIRouter, traces: DoctorTraces) -> None:
    @router.get("/doctor/traces/{trace}/flame", response_model=schemas.Flame)
    async def flame(
        trace: TraceId, thread: Number, begin: Moment, end: Moment, finding: Finding = None
    ) -> Any:
        question = {"ask": "flame", "thread": thread, "begin": begin, "end": end}
        asked = question | {"finding": finding}
        return _plain(await traces.ask(trace, doctor_views.Flame, asked))

    @router.get("/doctor/traces/{trace}/gaps/{account}", response_model=schemas.GapList)
    async def gaps(trace: TraceId, account: Number) -> Any:
        question = {"ask": "gaps", "account": account}
        return _plain(await traces.ask(trace, doctor_views.GapList, question))

    @router.get("/doctor/traces/{trace}/gaps/{account}/{number}", response_model=schemas.Gap)
    async def gap(trace: TraceId, account: Number, number: Number) -> Any:
        question = {"ask": "gap", "account": account, "number": number}
        return _plain(await traces.ask(trace, doctor_views.Gap, question))

    @router.get("/doctor/traces/{trace}/found", response_model=schemas.Found)
    async def found(trace: TraceId, track: Number, moment: Moment) -> Any:
        question = {"ask": "event", "track": track, "moment": moment}
        return _plain(await traces.ask(trace, doctor_views.Found, question))


def _plain(answer: msgspec.Struct) -> Any:
    return msgspec.to_builtins(answer)
