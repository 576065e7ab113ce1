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
    """Raised when the request names a host that is not this server."""

    status = 421


class Unauthorised(BadInput):
    """Raised when the browser is not logged in."""

    status = 401


class Forbidden(BadInput):
    """Raised when the request comes from another origin."""

    status = 403


class TooLarge(BadInput):
    """Raised when the body is longer than the limit."""

    status = 413


class TooSlow(BadInput):
    """Raised when the body does not arrive in time."""

    status = 408


class BadMethod(BadInput):
    """Raised when the path does not support the method."""

    status = 405


class Invalid(BadInput):
    """Raised when the request violates the schema; ``requirement`` names the violated rule."""

    status = 422

    def message(self, lang: Lang) -> str:
        """Return the path of the field and the requirement in the reader's language."""
        requirement = text(f"web.requirement.{self.values['requirement']}", lang, **self.values)
        return text(f"{self.code}.message", lang, **{**self.values, "requirement": requirement})


# Prefix of the error type of pydantic -> message key; the messages of pydantic are English only.
REQUIREMENTS = {
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


def requirement_of(complaint: str) -> str:
    """Return the message key for an error type of pydantic."""
    return next(
        (name for kind, name in REQUIREMENTS.items() if complaint.startswith(kind)), "documented"
    )


def lang_of(scope: Scope) -> Lang:
    """Return the language of a request; the page always sends its own."""
    asked = Headers(scope=scope).get("accept-language", "")
    return "zh" if asked.strip().lower().startswith("zh") else "en"


def answer(
    error: TorchstoneError, scope: Scope, extra: dict[str, Any] | None = None
) -> JSONResponse:
    """Return an error as a JSON response, with extra fields."""
    shape = {**error.shape(lang_of(scope)), **(extra or {})}
    return JSONResponse(shape, status_code=error.status)


def add_handlers(app: FastAPI) -> None:
    """Return every failure as the same JSON object."""

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
        requirement = requirement_of(first["type"])
        bounds = first.get("ctx", {})
        return answer(
            Invalid("web.invalid", place=place, requirement=requirement, **bounds), request.scope
        )

    @app.exception_handler(HTTPException)
    async def plain(request: Request, error: HTTPException) -> JSONResponse:
        if error.status_code == 404:
            fault: TorchstoneError = NotFound("web.no_such_address", path=request.url.path)
        elif error.status_code == 405:
            fault = BadMethod("web.bad_method", method=request.method)
        else:
            fault = Invalid("web.invalid", place="request", requirement="documented")
        response = answer(fault, request.scope)
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(Exception)
    async def unknown(request: Request, error: Exception) -> JSONResponse:
        return answer(TorchstoneError("web.fault", type=type(error).__name__), request.scope)
