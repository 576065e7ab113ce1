"""Reader of PyTorch profiler traces: JSON in both schemas, optionally gzip-compressed.

The text is decoded in pieces that end between two events, into structs with only the needed fields,
and from there into columns, so that neither the text nor Python objects for all events are in
memory at once. The end of a piece is not found by a parser: a candidate is right exactly if the
text before it is valid JSON. A truncated or damaged text is split between its events by
``structure``, and unreadable events are dropped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from torchstone.doctor.read import limits
from torchstone.doctor.read.structure import Objects, find_objects
from torchstone.doctor.read.unpack import Unpacked, unpack
from torchstone.doctor.refusal import Refusal

Scalar = int | float | str | None
Raw = msgspec.Raw
_NOTHING = Raw(b"")


class Args(msgspec.Struct, gc=False):
    """Arguments of an event, with the field names of both schemas."""

    correlation: Scalar = None
    external: Scalar = msgspec.field(default=None, name="External id")
    external_old: Scalar = msgspec.field(default=None, name="external id")
    python: Scalar = msgspec.field(default=None, name="Python id")
    python_parent: Scalar = msgspec.field(default=None, name="Python parent id")
    sequence: Scalar = msgspec.field(default=None, name="Sequence number")
    device: Scalar = None
    size: Scalar = msgspec.field(default=None, name="bytes")
    changed: Scalar = msgspec.field(default=None, name="Bytes")
    allocated: Scalar = msgspec.field(default=None, name="Total Allocated")
    reserved: Scalar = msgspec.field(default=None, name="Total Reserved")
    device_id: Scalar = msgspec.field(default=None, name="Device Id")
    device_type: Scalar = msgspec.field(default=None, name="Device Type")
    stack: str | None = msgspec.field(default=None, name="Call stack")
    dims: Raw = msgspec.field(default=_NOTHING, name="Input Dims")
    types: Raw = msgspec.field(default=_NOTHING, name="Input type")
    strides: Raw = msgspec.field(default=_NOTHING, name="Input Strides")
    values: Raw = msgspec.field(default=_NOTHING, name="Concrete Inputs")


class Event(msgspec.Struct, gc=False):
    """Event of the Chrome trace format; times are in microseconds."""

    ph: str = ""
    name: Scalar = ""
    cat: str | None = None
    ts: float | None = None
    dur: float | None = None
    pid: Scalar = 0
    tid: Scalar = 0
    args: Args | None = None


class DistributedInfo(msgspec.Struct, frozen=True):
    """Section that names the rank of the file."""

    rank: int | None = None
    world_size: int | None = None


class Head(msgspec.Struct, frozen=True):
    """Fields of a file outside of its events."""

    deviceProperties: list[dict[str, Any]] = []
    distributedInfo: DistributedInfo | None = None
    schemaVersion: Any = None
    host_name: Any = None
    record_shapes: Any = None
    with_stack: Any = None
    profile_memory: Any = None


@dataclass(slots=True, kw_only=True)
class Reading(Unpacked):
    """State collected while a file is read.

    Attributes:
        num_dropped: Number of unreadable events.
        head: Fields outside of the events.
    """

    num_dropped: int = 0
    head: Head = field(default_factory=Head)


_DECODE = msgspec.json.Decoder(list[Event], strict=False).decode
_DECODE_ONE = msgspec.json.Decoder(Event, strict=False).decode
# Invalid UTF-8 raises UnicodeDecodeError, a ValueError.
_WRONG = (msgspec.MsgspecError, ValueError, RecursionError)
_EVENTS = re.compile(rb'"traceEvents"\s*:\s*\[')
_BETWEEN = re.compile(rb"\}\s*,\s*(?=\{)")
# How Python and C++ write numbers that JSON does not have.
_NO_NUMBER = re.compile(rb"(?<=[:,\[\s])[-+]?(?:nan|inf(?:inity)?)(?=\s*[,\]}])", re.IGNORECASE)
# How much of a piece is searched for the end of an event; events are rarely longer.
_TAIL = 64 << 10
# Number of candidates tried before the structure of the text is analysed.
_NUM_TRIES = 3


def read_pieces(path: Path, reading: Reading) -> Iterator[list[Event]]:
    """Yield the events of a file in batches; ``reading`` is complete after the last one.

    Raises:
        Refusal: The file is not a trace, or exceeds the limits.
    """
    text = _Text(path, reading)
    text.skip_to_events()
    while (events := text.next_events()) is not None:
        if events:
            yield events
    text.read_foot()


class _Text:
    """Text of a file between the last decoded event and the end of the decompressed data."""

    def __init__(self, path: Path, reading: Reading) -> None:
        self._path = path
        self._reading = reading
        self._chunks = unpack(path, reading)
        self._rest = b""
        self._is_whole = False
        self._has_ended = False
        self._head = b""

    def skip_to_events(self) -> None:
        """Read the fields before the events."""
        self._fill(1)
        start = self._rest.lstrip(b"\xef\xbb\xbf \t\r\n")
        if not start:
            raise Refusal("empty", file=str(self._path))
        if start[:1] == b"[":
            self._rest = start[1:]
            return
        if start[:1] != b"{":
            raise Refusal("no_json", file=str(self._path), came=_shown(start))
        while True:
            # The key may also occur in a string, but rarely.
            for found in islice(_EVENTS.finditer(self._rest), _NUM_TRIES):
                head = self._rest[: found.end()]
                if (told := _head_of(head + b"]}")) is not None:
                    self._reading.head, self._head = told, head
                    self._rest = self._rest[found.end() :]
                    return
            if self._is_whole or len(self._rest) > limits.MAX_HEAD_BYTES:
                raise Refusal("no_events", file=str(self._path))
            self._grow()

    def next_events(self) -> list[Event] | None:
        """Return the next events; empty if none can be read, None at the end."""
        if self._has_ended:
            return None
        self._fill(limits.PIECE_BYTES)
        return self._take_quickly() or self._take_closely()

    def read_foot(self) -> None:
        """Read the fields after the events; newer files store the devices there."""
        if not self._head or self._reading.is_cut:
            return
        self._fill(limits.MAX_HEAD_BYTES)
        told = _head_of(self._head + b"]" + self._rest)
        if told is not None:
            self._reading.head = told

    def _take_quickly(self) -> list[Event]:
        """Decode up to the last candidate for the end of an event; empty if that fails."""
        for end in islice(_ends(self._rest), _NUM_TRIES):
            events = _decode(self._rest[: end.start() + 1])
            if events is not None:
                self._rest = self._rest[end.end() :]
                return events
        return []

    def _take_closely(self) -> list[Event]:
        """Decode complete events, drop unreadable ones, and detect the end of the list."""
        found = find_objects(self._rest)
        if not found.closed_at and not self._is_whole:
            if len(found.ends):
                return self._take(found)
            if len(self._rest) < limits.MAX_EVENT_BYTES:
                self._grow()
                return []
        self._has_ended = True
        self._reading.is_cut |= not found.closed_at
        return self._take(found)

    def _take(self, found: Objects) -> list[Event]:
        text = self._rest
        end = found.closed_at or (int(found.ends[-1]) if len(found.ends) else 0)
        # A remaining comma would hide the start of the next event.
        self._rest = text[end:] if found.closed_at else text[end:].lstrip(b", \t\r\n")
        if not len(found.ends):
            return []
        events = _decode(text[: int(found.ends[-1])])
        return self._take_each(text, found) if events is None else events

    def _take_each(self, text: bytes, found: Objects) -> list[Event]:
        """Decode events one by one, because some are damaged or have fields of other types."""
        events = []
        for begin, end in zip(found.begins.tolist(), found.ends.tolist(), strict=True):
            one = text[begin:end]
            try:
                events.append(_DECODE_ONE(one))
                continue
            except _WRONG:
                pass
            try:
                events.append(_DECODE_ONE(_repaired(one)))
            except _WRONG:
                self._reading.num_dropped += 1
        return events

    def _grow(self) -> None:
        """Double the decompressed text, so that repeated analysis costs no more than reading."""
        self._fill(2 * max(len(self._rest), limits.PIECE_BYTES))

    def _fill(self, num_bytes: int) -> None:
        """Decompress until the given number of bytes is available, or all."""
        pieces = [self._rest]
        size = len(self._rest)
        while size < num_bytes and not self._is_whole:
            chunk = next(self._chunks, b"")
            self._is_whole = not chunk
            pieces.append(chunk)
            size += len(chunk)
        if len(pieces) > 1:
            self._rest = b"".join(pieces)


def _decode(text: bytes) -> list[Event] | None:
    """Decode events; None if the text is not a list of events."""
    listed = b"[" + text + b"]"
    try:
        return _DECODE(listed)
    except msgspec.ValidationError:
        return None
    except _WRONG:
        pass
    repaired = _repaired(listed)
    if repaired == listed:
        return None
    try:
        return _DECODE(repaired)
    except _WRONG:
        return None


def _repaired(text: bytes) -> bytes:
    """Return a text without what only Python's JSON reader accepts: NaN, and invalid UTF-8."""
    try:
        text.decode()
    except UnicodeDecodeError:
        text = text.decode("utf-8", "replace").encode()
    return _NO_NUMBER.sub(b"null", text)


def _ends(text: bytes) -> Iterator[re.Match[bytes]]:
    """Yield candidates for the end of an event, from the last one on."""
    size = _TAIL
    seen = len(text)
    while True:
        begin = max(0, len(text) - size)
        found = [each for each in _BETWEEN.finditer(text, begin) if each.start() < seen]
        yield from reversed(found)
        if not begin:
            return
        seen = found[0].start() if found else seen
        size *= 16


def _head_of(text: bytes) -> Head | None:
    try:
        return msgspec.json.decode(text, type=Head, strict=False)
    except _WRONG:
        pass
    try:
        # Invalid fields outside of the events are harmless.
        json.loads(text)
    except (ValueError, RecursionError):
        return None
    return Head()


def _shown(text: bytes) -> str:
    return text[:40].decode("utf-8", "replace").strip()
