"""Board shared by a job and the process that forked it: the job's position and its findings.

It is shared memory rather than a pipe, because a call may close or fill any descriptor.
"""

from __future__ import annotations

import json
import mmap
import struct

from torchstone.judge.child.protocol.records import Params

_PLACE = struct.Struct("<iiqi")
_SIZE = 4 << 20
_LABEL = 64
_BEGIN = 512


class Board:
    """Numbers and lines of JSON in shared memory."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SIZE)
        self._item = self._form = self._clean = 0
        self._calls = 0
        self.clear()

    def clear(self) -> None:
        """Delete the findings and reset the position."""
        self._written = _BEGIN
        self._memory[_BEGIN : _BEGIN + 1] = b"\0"
        self.at(-1, -1)

    def at(self, item: int, form: int, label: str = "") -> None:
        """Record that this form of this callable is about to be called."""
        self._item, self._form = item, form
        words = label.encode(errors="replace")[: _BEGIN - _LABEL - 1] + b"\0"
        self._memory[_LABEL : _LABEL + len(words)] = words
        self._store()

    def count(self) -> None:
        """Record that a call begins."""
        self._calls += 1
        self._store()

    def clean(self, item: int) -> None:
        """Record that the process was unchanged before this callable."""
        self._clean = item
        self._store()

    def _store(self) -> None:
        place = _PLACE.pack(self._item, self._form, self._calls, self._clean)
        self._memory[: _PLACE.size] = place

    def place(self) -> tuple[int, int, int, int]:
        """Return callable, form, number of calls, and the last callable with a clean process."""
        item, form, calls, clean = _PLACE.unpack_from(self._memory, 0)
        return item, form, calls, clean

    def catch_up(self) -> None:
        """Continue the call count of the job, in the process that forked it."""
        self._calls = self.place()[2]

    def label(self) -> str:
        """Return the description of the last form."""
        return bytes(self._memory[_LABEL:_BEGIN]).partition(b"\0")[0].decode(errors="replace")

    def say(self, line: Params) -> None:
        """Add one finding; drop it if it does not fit."""
        data = json.dumps(line).encode() + b"\n"
        end = self._written + len(data)
        if end < _SIZE - 1:
            self._memory[self._written : end + 1] = data + b"\0"
            self._written = end

    def found(self) -> list[Params]:
        """Return the findings, in the process that forked the job."""
        end = self._memory.find(b"\0", _BEGIN)
        lines = self._memory[_BEGIN:end].splitlines()
        return [json.loads(line) for line in lines]
