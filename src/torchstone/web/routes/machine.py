"""Routes of the server's status, and of export and import of progress."""

from __future__ import annotations

import importlib.metadata
from datetime import date

from fastapi import APIRouter, Request
from starlette.responses import Response

import torchstone
from torchstone.app import transfer
from torchstone.app.home import Home
from torchstone.app.judging import machine
from torchstone.core import paths
from torchstone.core.i18n import LANGS
from torchstone.web.judge_status import JudgeStatus
from torchstone.web.progress_schemas import (
    DamageReport,
    Failure,
    HostState,
    ImportSummary,
    Machine,
    ServerStatus,
)
from torchstone.web.reports import model_of
from torchstone.web.schemas import Words


def add_machine(router: APIRouter, home: Home, judge_status: JudgeStatus) -> None:
    """Add the routes."""

    @router.get("/status")
    async def status() -> ServerStatus:
        warm = await judge_status.look()
        failure = None
        if warm.failure is not None:
            failure = Failure(
                message=Words(**{lang: warm.failure.message(lang) for lang in LANGS}),
                hint=Words(**{lang: warm.failure.hint(lang) for lang in LANGS}),
            )
        return ServerStatus(
            version=torchstone.__version__,
            torch=_torch_version(),
            num_problems=len(home.bank),
            host=model_of(HostState, warm.host),
            failure=failure,
        )

    @router.get("/machine")
    def inspect() -> Machine:
        found = machine.inspect_system(home)
        places = {"workspace": str(home.workspace), "data": str(paths.data_dir())}
        fields = {name: getattr(found, name) for name in Machine.model_fields.keys() - places}
        return Machine.model_validate(fields | places)

    @router.get("/damage")
    def damage() -> DamageReport:
        return model_of(DamageReport, machine.find_damage(home))

    @router.get("/export", response_class=Response)
    def export() -> Response:
        name = f"torchstone-progress-{date.today().isoformat()}.json"
        return Response(
            transfer.export_document(home).document,
            media_type="application/json",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    @router.post(
        "/import",
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": {"type": "object"}}},
            }
        },
    )
    async def import_(request: Request) -> ImportSummary:
        from starlette.concurrency import run_in_threadpool

        document = await request.body()
        added = await run_in_threadpool(transfer.import_document, home, document)
        return model_of(ImportSummary, added)


def _torch_version() -> str | None:
    try:
        return importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return None
