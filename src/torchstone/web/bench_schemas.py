"""Schemas of what belongs to writing a solution: time of work, format, kept inputs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import AwareDatetime, Field

from torchstone.store.document import MAX_INPUT
from torchstone.store.progress import MAX_SPAN_SECONDS
from torchstone.web.schemas import ApiModel, Text, Words


class Span(ApiModel):
    """A span of work that has ended."""

    seconds: Annotated[int, Field(ge=1, le=MAX_SPAN_SECONDS)]
    until: AwareDatetime


Spans = Annotated[list[Span], Field(max_length=200)]


class Work(ApiModel):
    """Spans of work on a problem; a span that is sent twice counts once."""

    spans: Spans


class Worked(ApiModel):
    """The seconds of work that count in the next review."""

    seconds: int


class Formatted(ApiModel):
    """A formatted text, or the reason why the text stays as it is."""

    text: str | None
    reason: Words | None


class KeptInput(ApiModel):
    """An own input that is kept under a name."""

    name: str
    code: str
    kept_at: datetime


class KeptInputs(ApiModel):
    """All kept inputs of a problem, by name."""

    inputs: list[KeptInput]


InputName = Annotated[Text, Field(max_length=200)]


class KeepInput(ApiModel):
    """An input to keep; ``replace`` says that it may replace another text of that name."""

    name: InputName
    code: Annotated[Text, Field(max_length=MAX_INPUT)]
    replace: bool = False


class RenameInput(ApiModel):
    """A kept input, and the name that it gets."""

    name: InputName
    new_name: InputName


class DeleteInput(ApiModel):
    """A kept input to remove."""

    name: InputName
