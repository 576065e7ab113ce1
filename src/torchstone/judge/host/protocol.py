"""Protocol between client and host: JSON lines, one request, then events.

Both ends are of one installation, so a number tells versions apart and nothing is negotiated. An
event of a recorded submission has its place beside its fields: ``host``, which counted it, and
``number``. A reader that was cut off asks for what follows that place.
"""

from __future__ import annotations

import json
import os
import socket
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from torchstone.core.errors import BadInput, ErrorShape, TorchstoneError
from torchstone.core.i18n import LANGS
from torchstone.core.isolation import Isolation
from torchstone.judge.events import CancelledEvent, Done, Event, Wire
from torchstone.judge.messages import Raised, Words, plain

if TYPE_CHECKING:
    import asyncio

PROTOCOL = 2
# Whether a submission counts as an attempt, or asks for the samples only.
JobKind: TypeAlias = Literal["submit", "run"]
REQUEST_CAP = 4 << 20
# Characters; written as JSON, where one takes up to twelve bytes, it fits a request and a frame.
SOURCE_CAP = 1 << 18


class _Request(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="op"
):
    """What a client asks for; the operation names it."""


class Submit(_Request, frozen=True, kw_only=True, tag="submit"):
    """Store a submission and judge it; the same key again is the same submission."""

    problem: str
    source: str
    kind: JobKind = "submit"
    client_key: str


class Judge(_Request, frozen=True, kw_only=True, tag="judge"):
    """Judge without a record.

    Attributes:
        seed: Decides every case; drawn by the host when not given.
        groups: Only these groups of cases; all when not given.
        explain: Look for the misconception and the smallest failing case.
        at_least: Refuse to judge on a weaker level of isolation.
    """

    problem: str
    source: str
    seed: int | None = None
    groups: tuple[str, ...] | None = None
    explain: bool = True
    at_least: Isolation = Isolation.NONE


class Evaluate(_Request, frozen=True, kw_only=True, tag="scratch"):
    """Evaluate an expression beside a solution."""

    problem: str
    source: str
    expression: str


class Attach(_Request, frozen=True, kw_only=True, tag="attach"):
    """Follow a recorded submission.

    Attributes:
        job: Its id, or the first digits of it.
        host: Which host counted the events that the reader has.
        begin: The number of the first event that the reader has not.
    """

    job: str
    host: str | None = None
    begin: int = 0


class Cancel(_Request, frozen=True, kw_only=True, tag="cancel"):
    """Cancel a recorded submission."""

    job: str


class AskStatus(_Request, frozen=True, kw_only=True, tag="status"):
    """Ask how the host is.

    Attributes:
        wait: Answer when jobs can be judged, not at once.
    """

    wait: bool = False


class Stop(_Request, frozen=True, kw_only=True, tag="stop"):
    """Ask the host to leave."""


Request: TypeAlias = Submit | Judge | Evaluate | Attach | Cancel | AskStatus | Stop


class Evaluated(Wire, frozen=True, kw_only=True, tag="scratch"):
    """What came of an expression.

    Attributes:
        text: The value, as text; nothing when there is none.
        error: The exception that it raised, with its line.
        detail: Why the process ended before it answered.
        stdout: What it printed.
    """

    text: str | None
    error: Raised | None
    detail: Words | None
    stdout: str


class Over(Wire, frozen=True, kw_only=True, tag="over"):
    """The submission has a verdict already; there is nothing to cancel."""


class Status(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="status"):
    """How the host is; one of another version may not say all of it, or more."""

    pid: int = 0
    version: str | None = None
    protocol: int | None = None
    bank: str | None = None
    ready: bool = False
    isolation: Isolation = Isolation.NONE
    capacity: int = 0
    waiting: int = 0
    pids: tuple[int, ...] = ()


class Stopping(Wire, frozen=True, kw_only=True, tag="stopping"):
    """The host leaves."""


class InBoth(msgspec.Struct, frozen=True, kw_only=True):
    """An error in both languages."""

    en: ErrorShape
    zh: ErrorShape


class Refusal(Wire, frozen=True, kw_only=True, tag="error"):
    """The host refuses, in both languages; the client picks one."""

    exit_code: int
    error: InBoth


Message: TypeAlias = Event | Evaluated | Over | Status | Stopping | Refusal
# With one of these the host has said all there is.
FINAL = (Done, CancelledEvent, Over, Status, Stopping, Evaluated, Refusal)
# With one of these a recorded submission has no further events.
LAST = (Done, CancelledEvent, Refusal)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamPosition:
    """Where a reader is in the events of a submission: the last one seen, and who counted."""

    host: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Hold one message of the host, and its place where it is counted."""

    message: Message
    place: StreamPosition | None = None


def write_request(request: Request) -> bytes:
    """Write a request as one line."""
    return json.dumps(plain(request)).encode() + b"\n"


def read_request(line: bytes) -> Request:
    """Read a request.

    Raises:
        BadInput: It is none.
    """
    try:
        request: Request = msgspec.convert(json.loads(line), Request)
    except (ValueError, RecursionError):
        raise BadInput("judge.bad_request") from None
    return request


def write_line(line: Line) -> bytes:
    """Write a message of the host as one line."""
    place = {} if line.place is None else {"host": line.place.host, "number": line.place.number}
    return json.dumps(plain(line.message) | place).encode() + b"\n"


def read_line(text: bytes) -> Line:
    """Read a message of the host.

    Raises:
        ValueError: It is none that this version knows.
    """
    found = json.loads(text)
    place = None
    if "number" in found:
        place = StreamPosition(host=found.pop("host"), number=found.pop("number"))
    return Line(message=msgspec.convert(found, Message), place=place)


def refusal_of(error: TorchstoneError) -> Refusal:
    """Return an error in both languages."""
    shapes = {lang: error.shape(lang) for lang in LANGS}
    return Refusal(exit_code=int(error.exit_code), error=msgspec.convert(shapes, InBoth))


def is_ours(writer: asyncio.StreamWriter) -> bool:
    """Check whether the peer is this user.

    The socket's mode says so already, the kernel proves it.
    """
    peer = writer.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    _, uid, _ = struct.unpack("3i", peer)
    return bool(uid == os.getuid())
