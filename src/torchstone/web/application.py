"""ASGI application: routes over the use cases, behind the guard."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

import torchstone
from torchstone.app.home import Home
from torchstone.app.interview.serving import ServedInterviews
from torchstone.app.search.search import Searcher
from torchstone.web.address import Address
from torchstone.web.faults import add_handlers
from torchstone.web.guard import Guard
from torchstone.web.judge_status import JudgeStatus
from torchstone.web.login_links import ENTER, LoginLinks, add_login_routes
from torchstone.web.routes.bench import add_bench, add_formatting, add_inputs
from torchstone.web.routes.distributed import add_distributed
from torchstone.web.routes.doctor import add_doctor
from torchstone.web.routes.interviews import add_acts, add_interviews, add_lead, add_reports
from torchstone.web.routes.learn import add_learn
from torchstone.web.routes.machine import add_machine
from torchstone.web.routes.problems import add_paths, add_problems
from torchstone.web.routes.progress import add_progress
from torchstone.web.routes.questions import add_answers, add_questions
from torchstone.web.routes.receipts import add_receipts
from torchstone.web.routes.seats import add_seats
from torchstone.web.routes.submissions import add_history, add_judging
from torchstone.web.routes.xray import add_xray
from torchstone.web.schemas import Fault
from torchstone.web.session import Sessions
from torchstone.web.shell import Bundle, add_pages

# The common error responses of all routes; a 500 is a bug, so the contract does not have it.
FAULTS: dict[int | str, dict[str, Any]] = {
    status: {"model": Fault, "description": description}
    for status, description in (
        ("4XX", "The request cannot be served as it is."),
        ("503", "The judge, the database or a problem cannot be used."),
    )
}


def build_api(home: Home, judge_status: JudgeStatus, closing: asyncio.Event) -> FastAPI:
    """Create the application without its guard; its OpenAPI document is the contract.

    Args:
        home: The learner's home.
        judge_status: Keeps the judge started.
        closing: Set before the server ends; streams then end.
    """
    app = FastAPI(
        title="Torchstone",
        version=torchstone.__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    add_handlers(app)
    router = APIRouter(prefix="/api", responses=FAULTS)
    add_machine(router, home, judge_status)
    add_progress(router, home, Searcher(home))
    add_problems(router, home)
    add_paths(router, home)
    add_questions(router, home)
    add_answers(router, home)
    add_bench(router, home)
    add_formatting(router, home)
    add_inputs(router, home)
    add_judging(router, home, closing)
    add_history(router, home)
    add_receipts(router, home)
    add_distributed(router, home, closing)
    add_doctor(router)
    add_xray(router, home, closing)
    add_learn(router, home)
    served = ServedInterviews(home, closing.is_set)
    add_interviews(router, home, served)
    add_acts(router, home, served)
    add_lead(router, served)
    add_reports(router, home)
    add_seats(router, home, served)
    app.include_router(router)
    return app


def build_app(
    home: Home,
    *,
    address: Address,
    sessions: Sessions,
    login_links: LoginLinks,
    judge_status: JudgeStatus,
    closing: asyncio.Event,
    bundle: Bundle | None = None,
) -> ASGIApp:
    """Create the whole server: the API, the page, the login routes, and the guard before them."""
    app = build_api(home, judge_status, closing)
    around = APIRouter()
    add_login_routes(around, login_links, sessions)
    add_pages(around, bundle or Bundle())
    app.include_router(around)
    return Guard(
        app=_with_head(GZipMiddleware(app, minimum_size=1024, compresslevel=4)),
        hosts=hosts_of(address),
        sessions=sessions,
        is_bearer=login_links.is_bearer,
    )


def _with_head(app: ASGIApp) -> ASGIApp:
    """Answer HEAD like GET; the HTTP library leaves the body out."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        # A login link works once; a HEAD request must not use it up.
        if scope["type"] == "http" and scope["method"] == "HEAD" and scope["path"] != ENTER:
            scope = {**scope, "method": "GET"}
        await app(scope, receive, send)

    return answer


def hosts_of(address: Address) -> frozenset[str]:
    """Return the values of ``Host`` that name this server."""
    names = {address.host, "localhost", "127.0.0.1"} if address.host != "::1" else {"[::1]"}
    # Browsers leave out the default port of HTTP.
    ports = {f":{address.port}", "" if address.port == 80 else f":{address.port}"}
    return frozenset(name + port for name in names for port in ports)
