"""A process forked by the leader of a job, as the leader sees it."""

from __future__ import annotations

import os
import signal
import socket
import time
from dataclasses import dataclass, field
from typing import Any

from ..protocol import stream, wire
from ..protocol.records import Answer

ANSWER_CAP = 160 << 20
CALL_CAP = 4096
NOTES_CAP = 40_000


@dataclass(slots=True)
class Member:
    """State of one rank: its process, its answer, and its reports.

    Attributes:
        calls: Name and bytes of each collective.
        inside: The number of the call that it is in or waits for, from 1; 0 for none.
        waits_for: The signal that it waits for.
        marks: Counts up to each of its marks, by name.
        notes: Notes of its probe, in order.
        status: How the process ended.
    """

    number: int
    pid: int
    sock: socket.socket
    answer: Answer | None = None
    is_ready: bool = False
    calls: list[tuple[str, int]] = field(default_factory=list)
    inside: int = 0
    waits_for: str | None = None
    marks: dict[str, int] = field(default_factory=dict)
    notes: list[Any] = field(default_factory=list)
    status: int | None = None
    _counted: tuple[int, int] = (0, 0)
    source: stream.FrameSource = field(init=False)

    def __post_init__(self) -> None:
        """Create the frame source of the socket."""
        self.source = stream.FrameSource(self.sock, blob_cap=ANSWER_CAP, allocate=wire.torch_buffer)

    def note(self, event: Answer) -> None:
        """Record that the rank enters a call, waits for one, or has left one."""
        if "name" in event and event["inside"] and len(self.calls) < CALL_CAP:
            self.calls.append((str(event["name"])[:40], int(event["bytes"])))
        number = int(event["number"]) if event["inside"] else 0
        self.inside = number if 0 < number <= len(self.calls) else 0

    @property
    def is_over(self) -> bool:
        """Return whether no answer is expected from it any more."""
        return self.answer is not None or self.status is not None

    @property
    def has_failed(self) -> bool:
        """Return whether its answer is an exception or a fault."""
        return self.answer is not None and bool({"raised", "fault"} & self.answer.keys())

    def mark(self, name: str, num_sent: int) -> None:
        """Count this rank's calls and all ranks' sent bytes since its previous mark."""
        calls, sent = self._counted
        if len(self.marks) < CALL_CAP:
            self.marks[f"{name}.calls"] = len(self.calls) - calls
            self.marks[f"{name}.bytes"] = num_sent - sent
        self._counted = (len(self.calls), num_sent)

    def where(self) -> str:
        """Describe its position with symbols that need no translation."""
        if self.answer is not None:
            return "\u2713"
        if self.inside:
            return self._name(self.inside)
        return f"{self._name(len(self.calls))} \u2713" if self.calls else "\u2013"

    def _name(self, number: int) -> str:
        return f"{self.calls[number - 1][0]} {number}"

    def end(self) -> int:
        """Kill the process and return its status; later calls return the same status."""
        if self.status is None:
            # A process that ended by itself keeps its own status.
            os.kill(self.pid, signal.SIGKILL)
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            self.sock.close()
        return self.status

    def has_ended(self) -> bool:
        """Return whether the process has ended, even if another process still holds its socket."""
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
                self.sock.close()
        return self.status is not None

    def reap(self) -> int:
        """Return the status of a process that closed its socket; kill it after 0.2 s."""
        for _ in range(20):
            if self.has_ended():
                break
            time.sleep(0.01)
        return self.end()
