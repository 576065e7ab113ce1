"""Leader of one program that starts workers: follow it, and count its processes.

The program is followed like a single rank. Process 1 of the job takes the counts and keeps the
notes, so a submission cannot change them. A probe that waits for something which a wrong program
never does states the answer for that case in advance: the leader gives this answer when the time is
over, and ends the program.
"""

from __future__ import annotations

import itertools
import math
import os
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..answering.fault import Fault
from ..protocol import stream
from ..protocol.frames import FromRank
from ..protocol.records import Answer, Arguments
from . import census, leader, rank
from .member import NOTES_CAP, Member

# Derives an answer outside the program. Arguments: the operation, its data, and the probe's notes.
Conclude = Callable[[str, Arguments, list[Any]], Answer]
# The key of the counts in the answer, and the maximum number of counts.
COUNTS, COUNTS_CAP = "counts", 256
# Idle readings, one per second, before a program counts as hung. PyTorch's DataLoader checks its
# workers every five seconds, and may have missed the signal of one that ended early.
PATIENCE = 7
# Milliseconds between checks whether processes have ended: at first about the time in which a
# process ends, then doubled each time, because a census takes milliseconds.
FIRST_LOOK_MS, LOOK_MS = 2.0, 50.0
MOST_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class _Settling:
    """Target of a pending `SETTLE`: maximum counts and a deadline.

    Attributes:
        most_open: Maximum number of open descriptors.
    """

    name: str
    most: census.Counts
    deadline: float
    most_open: float


def respond_with_workers(conclude: Conclude | None, counter: census.Census) -> leader.Respond:
    """Return the function that answers a request with one program that starts its workers."""

    def respond(
        request: Arguments, enter: rank.Enter, sock: socket.socket, inbox: stream.Inbox
    ) -> Answer:
        program = Program(request, enter, counter, inbox)
        found = program.answer(sock, inbox)
        return found if conclude is None else found | program.concluded(conclude, request)

    return respond


class Program(leader.Group):
    """The program of one request, from its fork until it has answered."""

    def __init__(
        self, request: Arguments, enter: rank.Enter, counter: census.Census, inbox: stream.Inbox
    ) -> None:
        self._census = counter
        super().__init__(request, enter, lambda: 0, inbox)

    _num_still = _num_looks = 0
    _settling: _Settling | None = None
    # Deadline, and the answer if the program is still busy then.
    _last_words: tuple[float, Answer] | None = None
    # Name of the count after the program's end, and the seconds in which its workers may end.
    _orphans: tuple[str, float] | None = None

    def _fork_all(
        self, num_ranks: int, request: Arguments, enter: rank.Enter, inbox: stream.Inbox
    ) -> None:
        assert num_ranks == 1, "the program starts its workers itself"
        self._patience = request["data"].pop("patience", PATIENCE)
        self._counts: list[tuple[str, census.Counts]] = []
        self._fork(rank.Place(0, 1), request, enter, inbox)

    def answer(self, host: socket.socket, inbox: stream.Inbox) -> Answer:
        """Return the answer of the program, with the counts taken meanwhile."""
        try:
            found = super().answer(host, inbox)
            if self._orphans is not None and "fault" not in found:
                self._count_orphans(*self._orphans)
        finally:
            self._census.sweep()
        # The program cannot supply counts itself.
        found = {key: item for key, item in found.items() if key != COUNTS}
        rows = [[name, *counts] for name, counts in self._counts]
        return found | {COUNTS: rows} if rows else found

    def concluded(self, conclude: Conclude, request: Arguments) -> Answer:
        """Return the conclusion from the notes; notes that the probe rejects are a fault.

        Only a hostile program sends malformed notes. The probe checks them with ValueError; any
        other exception is not the program's fault.
        """
        try:
            return conclude(request["op"], request["data"], self._members[0].notes)
        except ValueError:
            return {"fault": Fault("false_notes").record}

    def _look(self) -> float | None:
        member, now = self._members[0], time.monotonic()
        if self._settling is not None:
            counts = self._taken(member.pid)
            self._num_looks += 1
            has_come = counts.is_within(self._settling.most, self._settling.most_open)
            if has_come or now >= self._settling.deadline:
                self._keep(self._settling.name, counts)
                self._settling = None
                leader.let_go(member, came=has_come)
        if self._last_words is not None and now >= self._last_words[0]:
            member.answer = self._last_words[1]
        if self._settling is not None:
            return _pause_ms(self._num_looks)
        # Milliseconds until the deadline of the last words, plus one.
        return None if self._last_words is None else 1 + 1e3 * max(0, self._last_words[0] - now)

    def _stand_still(self) -> Answer | None:
        # Where a deadline is set, it decides.
        if self._has_moved or self._settling or self._last_words:
            self._has_moved, self._num_still = False, 0
        self._num_still += 1
        return super()._stand_still() if self._num_still >= self._patience else None

    def _keep(self, name: str, counts: census.Counts) -> None:
        if len(self._counts) < COUNTS_CAP:
            self._counts.append((name, counts))

    def _take_tool(self, member: Member, kind: int | bytes, value: Any) -> None:
        if kind == FromRank.COUNT:
            self._keep(str(value["name"])[:40], self._taken(member.pid))
            leader.let_go(member, came=True)
        elif kind == FromRank.NOTE:
            if len(member.notes) < NOTES_CAP:
                member.notes.append(value)
        elif kind == FromRank.SETTLE:
            known, open_as_in = dict(self._counts), value["open_as_in"]
            most_open = math.inf if open_as_in is None else known[open_as_in].descriptors
            deadline = time.monotonic() + _seconds(value)
            name, most = str(value["name"])[:40], known[value["as_in"]]
            self._settling, self._num_looks = _Settling(name, most, deadline, most_open), 0
        elif kind == FromRank.LAST_WORDS:
            words, deadline = value["answer"], time.monotonic() + _seconds(value)
            self._last_words = (deadline, words) if isinstance(words, dict) else None
        elif kind == FromRank.ORPHANS:
            self._orphans = str(value["name"])[:40], _seconds(value)
        else:
            super()._take_tool(member, kind, value)

    def _taken(self, program: int) -> census.Counts:
        """Take a census; a kernel that does not permit it is a fault of the judge."""
        try:
            return self._census.take(program)
        except OSError as error:
            leader.stop(rank.NOT_READY_STATUS, f"the leader cannot count descriptors: {error}")

    def _count_orphans(self, name: str, within_s: float) -> None:
        """Count the workers that outlive the program, after giving them time to end."""
        deadline = time.monotonic() + within_s
        for number in itertools.count(1):
            self._reap()
            counts = self._census.take(None)
            if not counts.running or time.monotonic() >= deadline:
                self._keep(name, counts)
                return
            time.sleep(_pause_ms(number) / 1000)

    def _reap(self) -> None:
        """Reap the orphans that have ended; they are children of this process."""
        while True:
            try:
                if not os.waitpid(-1, os.WNOHANG)[0]:
                    return
            except ChildProcessError:
                return

    def _unreadable(self, member: Member) -> Answer:
        return {"fault": Fault("unsendable").record}

    def _end_of(self, member: Member, how: str) -> Answer:
        return {"fault": Fault("program_ended", how=how).record}

    def _standstill_of(self, waiting: list[Member]) -> Answer:
        return {"fault": Fault("program_hung").record}


def _pause_ms(num_looks: int) -> float:
    """Return the pause in milliseconds before look ``num_looks + 1``."""
    return min(LOOK_MS, FIRST_LOOK_MS * (1 << min(num_looks - 1, 10)))


def _seconds(value: Answer) -> float:
    return min(MOST_SECONDS, float(value["within_s"]))
