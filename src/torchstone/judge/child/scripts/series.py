"""Runs of a script: start, follow and kill them in sequence, on folders that persist.

The leader runs this; it runs no code of the submission. A request has ``script``, a list of acts.
An act ``run`` starts a process and ends it: after its answer, at a drawn event, or when a file has
appeared or grown a drawn number of times. All other acts change a folder between two runs; see
`folder`. The process of a run is ended with SIGKILL, even after its answer. It cannot start another
process, so only its folder survives; what it wrote beside the folder is removed and reported.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..answering.fault import Fault
from ..processes import leader, member, rank
from ..protocol import stream, wire
from ..protocol.frames import FromRun
from ..protocol.records import Answer, Arguments
from . import folder
from .acts import Acts
from .script_run import Enter, RunOrder, Stem

EVENTS_CAP = 20_000
# Seconds between checks of a watched folder.
LOOK_SECONDS = 0.0003
_NAME_CAP = 40


@dataclass(slots=True)
class Run:
    """State of one run: its process, and its reports.

    Attributes:
        kill: (event name, count): the run is killed at that occurrence; a name of None matches all.
        growth: (count, seconds): the run is killed this long after a file appeared or grew this
            often.
        events: The reported events, in order.
        answer: Its answer; None if it was killed or ended before.
    """

    number: int
    pid: int
    sock: socket.socket
    kill: tuple[str | None, int] | None
    growth: tuple[int, float] | None
    events: list[list[Any]] = field(default_factory=list)
    answer: Answer | None = None
    is_ready: bool = False
    is_killed: bool = False
    num_left: int = 0

    def __post_init__(self) -> None:
        """Set the countdown to the event at which the run is killed."""
        self.num_left = self.kill[1] if self.kill else 0

    def is_due(self, name: str) -> bool:
        """Count an event; return whether the run is to be killed at it."""
        if self.kill is None or self.kill[0] not in (None, name):
            return False
        self.num_left -= 1
        return self.num_left == 0


class Series(Acts):
    """Performer of one request's acts, with the reports of its runs as the answer.

    The keys of run 0 begin with ``run0:``. A request without acts is answered by one run.
    """

    def __init__(self, request: Arguments, enter: Enter, inbox: stream.Inbox) -> None:
        super().__init__(request)
        self.performs = {"run": self._perform}
        self._num_runs = 0
        self._stem = Stem(lambda: self._forget(inbox), request, enter)

    def _forget(self, inbox: stream.Inbox) -> None:
        """Delete, in the stem, everything that no run may read: when it will be killed."""
        self.acts.clear()
        inbox.forget()
        gc.collect()

    def end(self) -> None:
        """End the stem."""
        self._stem.end()

    def _perform(self, act: Arguments, host: socket.socket, inbox: stream.Inbox) -> bool:
        """Perform a run; return whether to continue with the next act."""
        path, number = folder.place(act["in"]), self._num_runs
        self._num_runs += 1
        order = RunOrder(
            number=number,
            folder=path,
            data=act.get("data", {}),
            file_bytes=act.get("file_bytes"),
        )
        pid, sock = self._stem.start(order)
        kill, growth = act.get("kill"), act.get("growth")
        run = Run(
            number,
            pid,
            sock,
            None if kill is None else (kill[0], kill[1]),
            None if growth is None else (growth[0], growth[1]),
        )
        try:
            fault = self._follow(run, path, host, inbox)
        finally:
            run.is_killed = run.is_killed or run.answer is not None
            # A run that ended by itself keeps its status: only the stem waits for it.
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            status = self._stem.status()
            sock.close()
        fault = fault or self._ended(run, status)
        found = {**(run.answer or {}), **fault}
        if not self.is_plain:
            found |= self._seen(run, path)
        self.found |= {key if self.is_plain else f"run{number}:{key}": found[key] for key in found}
        return not {"raised", "fault"} & found.keys()

    def _seen(self, run: Run, path: str) -> Answer:
        """Return the leader's observations after the process has ended."""
        return {
            "events": run.events,
            "ended": "killed" if run.answer is None else "answered",
            "files": folder.listing(path),
            "outside": folder.strangers(self.folders),
        }

    def _follow(self, run: Run, path: str, host: socket.socket, inbox: stream.Inbox) -> Answer:
        """Serve a run until it ends or is to be killed; return a fault if it hangs."""
        source = stream.FrameSource(
            run.sock, blob_cap=member.ANSWER_CAP, allocate=wire.torch_buffer
        )
        watch = None if run.growth is None else _Watch(path, *run.growth)
        look = None if watch is None else LOOK_SECONDS
        while True:
            ready, _, _ = select.select([run.sock, host], [], [], look)
            if watch is not None and watch.is_due():
                run.is_killed = True
                return {}
            if host in ready:
                # The host sends only idle readings while it waits; None means that it has closed
                # the socket.
                if inbox.receive(blob_cap=0) is None:
                    leader.stop(0, "")
                if self.stands_still():
                    return _hung(run)
            if run.sock in ready:
                fault = self._read(run, source)
                if fault is not None:
                    return fault

    def _read(self, run: Run, source: stream.FrameSource) -> Answer | None:
        """Read pending frames of a run; return None if it continues, otherwise its fault or {}."""
        self.moves()
        try:
            goes_on = all(self._take(run, frame) for frame in source.read())
        except EOFError:
            return {}
        # The run sent an unknown frame, or more than memory can hold.
        except (*leader.NOT_A_RANK, RuntimeError, MemoryError):
            return {"fault": Fault("run_unreadable", run=run.number + 1).record}
        return None if goes_on else {}

    def _take(self, run: Run, frame: wire.Frame) -> bool:
        """Handle one frame of a run; return whether the run continues."""
        if frame.kind == FromRun.READY:
            run.is_ready = True
            return True
        value = frame.decode(tensor=wire.torch_tensor)
        if frame.kind == FromRun.ANSWER and isinstance(value, Mapping):
            run.answer = dict(value)
            return False
        if frame.kind != FromRun.EVENT or len(run.events) == EVENTS_CAP:
            raise wire.WireError("a run sent what no run sends")
        run.events.append([str(value[0])[:_NAME_CAP], *value[1:]])
        if run.is_due(run.events[-1][0]):
            run.is_killed = True
            return False
        with contextlib.suppress(OSError):  # the run has ended meanwhile
            run.sock.send(b"1")
        return True

    def _ended(self, run: Run, status: int) -> Answer:
        """Return the fault of a run that ended by itself before its answer."""
        if run.is_killed:
            return {}
        if not run.is_ready:
            leader.stop(rank.NOT_READY_STATUS, f"run {run.number} ended with status {status}")
        if status == leader.BAN_STATUS:
            leader.stop(leader.BAN_STATUS, "a ban")
        if status in leader.FOR_HOST:
            # CPU time of a process is added to its parent's when the parent has waited for it.
            self._stem.end()
            leader.stop(128 - status, "a limit")
        how = signal.Signals(-status).name if status < 0 else f"exit {status}"
        return {"fault": Fault("run_ended", run=run.number + 1, how=how).record}


class _Watch:
    """Watch on a folder from outside, to kill a run while it writes."""

    def __init__(self, path: str, count: int, delay_s: float) -> None:
        self._path, self._left, self._delay_s = path, count, delay_s
        self._sizes = folder.sizes(path)
        self._kill_at: float | None = None

    def is_due(self) -> bool:
        """Check the folder; return whether the run is to be killed now."""
        if self._kill_at is None:
            sizes = folder.sizes(self._path)
            grown = any(size > self._sizes.get(name, -1) for name, size in sizes.items())
            self._sizes = sizes
            self._left -= grown
            if self._left > 0:
                return False
            self._kill_at = time.monotonic() + self._delay_s
        return time.monotonic() >= self._kill_at


def _hung(run: Run) -> Answer:
    last = run.events[-1] if run.events else ["\u2013"]
    where = f"{last[0]} {len([each for each in run.events if each[0] == last[0]])}"
    return {"fault": Fault("run_hung", run=run.number + 1, where=where).record}


def respond_with_runs(
    request: Arguments, enter: Enter, sock: socket.socket, inbox: stream.Inbox
) -> Answer:
    """Answer one request with its runs."""
    return Series(request, enter, inbox).answer(sock, inbox)
