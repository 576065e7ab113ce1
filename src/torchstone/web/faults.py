"""HTTP error responses: one JSON format for every failure, in the language of the request."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import Scope

from torchstone.app.problems.drafts import DraftConflict
from torchstone.core.errors import BadInput, NotFound, TorchstoneError
from torchstone.core.i18n import Lang, text
from torchstone.web.reports import model_of
from torchstone.web.schemas import Draft


class Misdirected(BadInput):
    """The request names a host that is not this server."""

    status = 421


class Unauthorised(BadInput):
    """The browser was not let in."""

    status = 401


class Forbidden(BadInput):
    """The request comes from another origin."""

    status = 403


class TooLarge(BadInput):
    """The body is longer than any that is meant."""

    status = 413


class TooSlow(BadInput):
    """The body did not come in time."""

    status = 408


class BadMethod(BadInput):
    """The address knows no such method."""

    status = 405


class Invalid(BadInput):
    """The request is not of the documented form; its value ``wanted`` names what would be."""

    status = 422

    def message(self, lang: Lang) -> str:
        """Name the place of a validation error and the expected value."""
        wanted = text(f"web.wanted.{self.values['wanted']}", lang, **self.values)
        return text(f"{self.code}.message", lang, **{**self.values, "wanted": wanted})


# How the type of a complaint of pydantic begins -> what it wants; its words are English only.
WANTED = {
    "missing": "given",
    "json_invalid": "json",
    "model_": "object",
    "string_type": "text",
    "string_too_long": "shorter",
    "string_pattern_mismatch": "pattern",
    "string_unicode": "characters",
    "value_error": "characters",
    "int_": "integer",
    "bool_": "boolean",
    "datetime_": "moment",
    "literal_error": "listed",
    "greater_than_equal": "at_least",
    "less_than_equal": "at_most",
}


def wanted_by(complaint: str) -> str:
    """Name what a type of complaint wants, as the sentences do."""
    return next((name for kind, name in WANTED.items() if complaint.startswith(kind)), "documented")


def lang_of(scope: Scope) -> Lang:
    """Read the language of a request; the page always asks for its own."""
    asked = Headers(scope=scope).get("accept-language", "")
    return "zh" if asked.strip().lower().startswith("zh") else "en"


def answer(
    error: TorchstoneError, scope: Scope, extra: dict[str, Any] | None = None
) -> JSONResponse:
    """Return an error in the one shape, and what stands beside it."""
    shape = {**error.shape(lang_of(scope)), **(extra or {})}
    return JSONResponse(shape, status_code=error.status)


def add_handlers(app: FastAPI) -> None:
    """Answer every failure in the one shape."""

    @app.exception_handler(TorchstoneError)
    async def known(request: Request, error: TorchstoneError) -> JSONResponse:
        if isinstance(error, DraftConflict):
            other = model_of(Draft, error.other)
            return answer(error, request.scope, {"other": other.model_dump(mode="json")})
        return answer(error, request.scope)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"])
        wanted = wanted_by(first["type"])
        bounds = first.get("ctx", {})
        return answer(Invalid("web.invalid", place=place, wanted=wanted, **bounds), request.scope)

    @app.exception_handler(HTTPException)
    async def plain(request: Request, error: HTTPException) -> JSONResponse:
        if error.status_code == 404:
            fault: TorchstoneError = NotFound("web.no_such_address", path=request.url.path)
        elif error.status_code == 405:
            fault = BadMethod("web.bad_method", method=request.method)
        else:
            fault = Invalid("web.invalid", place="request", wanted="documented")
        response = answer(fault, request.scope)
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(Exception)
    async def unknown(request: Request, error: Exception) -> JSONResponse:
        return answer(TorchstoneError("web.fault", type=type(error).__name__), request.scope)
