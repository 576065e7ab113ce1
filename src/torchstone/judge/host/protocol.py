"""Protocol between client and host: JSON lines, one request, then events.

Client and host belong to one installation, so a version number suffices and nothing is negotiated.
An event of a recorded submission has two more fields, its position: ``host``, the host that counted
it, and ``number``. After a lost connection a client requests the events after that position.
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
from torchstone.judge.events import CancelledEvent, Done, Evaluated, Event, Wire
from torchstone.judge.messages import plain

if TYPE_CHECKING:
    import asyncio

PROTOCOL = 2
# "submit" counts as an attempt; "run" judges the samples only.
JobKind: TypeAlias = Literal["submit", "run"]
REQUEST_CAP = 4 << 20
# In characters. One takes up to twelve bytes of JSON, so a source fits into a request and a frame.
SOURCE_CAP = 1 << 18


class _Request(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="op"
):
    """Request of a client; ``op`` names the operation."""


class Submit(_Request, frozen=True, kw_only=True, tag="submit"):
    """Request to store and judge a submission; the same key names the same submission."""

    problem: str
    source: str
    kind: JobKind = "submit"
    client_key: str


class Judge(_Request, frozen=True, kw_only=True, tag="judge"):
    """Request to judge a program without a record.

    Attributes:
        seed: Determines every case; default: the host draws it.
        groups: The groups of cases to judge; default: all groups.
        explain: Whether to search for the misconception and the smallest failing case.
        at_least: The lowest isolation level at which to judge.
    """

    problem: str
    source: str
    seed: int | None = None
    groups: tuple[str, ...] | None = None
    explain: bool = True
    at_least: Isolation = Isolation.NONE


class Evaluate(_Request, frozen=True, kw_only=True, tag="scratch"):
    """Request to evaluate an expression with the names that a solution defines."""

    problem: str
    source: str
    expression: str


class Attach(_Request, frozen=True, kw_only=True, tag="attach"):
    """Request to follow a recorded submission.

    Attributes:
        job: The id of the submission, or its first digits.
        host: The host that counted the events that the client already has.
        begin: The number of the first event that the client does not have.
    """

    job: str
    host: str | None = None
    begin: int = 0


class Cancel(_Request, frozen=True, kw_only=True, tag="cancel"):
    """Request to cancel a recorded submission."""

    job: str


class AskStatus(_Request, frozen=True, kw_only=True, tag="status"):
    """Request for the status of the host.

    Attributes:
        wait: Whether to answer only when the host can judge.
    """

    wait: bool = False


class Stop(_Request, frozen=True, kw_only=True, tag="stop"):
    """Request that the host ends."""


Request: TypeAlias = Submit | Judge | Evaluate | Attach | Cancel | AskStatus | Stop


class Over(Wire, frozen=True, kw_only=True, tag="over"):
    """Report that the submission already has a verdict, so nothing is cancelled."""


class Status(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="status"):
    """Status of the host; a host of another version may send fewer or more fields."""

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
    """Report that the host ends."""


class InBoth(msgspec.Struct, frozen=True, kw_only=True):
    """An error in both languages."""

    en: ErrorShape
    zh: ErrorShape


class Refusal(Wire, frozen=True, kw_only=True, tag="error"):
    """An error of the host in both languages; the client selects one."""

    exit_code: int
    error: InBoth


Message: TypeAlias = Event | Evaluated | Over | Status | Stopping | Refusal
# Types of the last message of an answer.
FINAL = (Done, CancelledEvent, Over, Status, Stopping, Evaluated, Refusal)
# Types of the last event of a recorded submission.
LAST = (Done, CancelledEvent, Refusal)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamPosition:
    """Position of the last event that a client has: its number, and the host that counted it."""

    host: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message of the host, with its position if it is an event of a recorded submission."""

    message: Message
    place: StreamPosition | None = None


def write_request(request: Request) -> bytes:
    """Return a request as one line of JSON."""
    return json.dumps(plain(request)).encode() + b"\n"


def read_request(line: bytes) -> Request:
    """Parse a request.

    Raises:
        BadInput: The line is not a valid request.
    """
    try:
        request: Request = msgspec.convert(json.loads(line), Request)
    except (ValueError, RecursionError):
        raise BadInput("judge.bad_request") from None
    return request


def alone(message: Message) -> list[Line]:
    """Return a message without a position as a list of one line."""
    return [Line(message=message)]


def write_line(line: Line) -> bytes:
    """Return a message of the host as one line of JSON."""
    place = {} if line.place is None else {"host": line.place.host, "number": line.place.number}
    return json.dumps(plain(line.message) | place).encode() + b"\n"


def read_line(text: bytes) -> Line:
    """Parse a message of the host.

    Raises:
        ValueError: This version does not know the message.
    """
    found = json.loads(text)
    place = None
    if "number" in found:
        place = StreamPosition(host=found.pop("host"), number=found.pop("number"))
    return Line(message=msgspec.convert(found, Message), place=place)


def refusal_of(error: TorchstoneError) -> Refusal:
    """Convert an error to a message in both languages."""
    shapes = {lang: error.shape(lang) for lang in LANGS}
    return Refusal(exit_code=int(error.exit_code), error=msgspec.convert(shapes, InBoth))


def is_ours(writer: asyncio.StreamWriter) -> bool:
    """Return whether the client runs as this user.

    The mode of the socket already excludes other users; this checks the kernel's record of the user
    id.
    """
    peer = writer.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    _, uid, _ = struct.unpack("3i", peer)
    return bool(uid == os.getuid())
