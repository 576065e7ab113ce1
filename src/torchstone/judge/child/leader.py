"""Leader of a submission of several processes: fork them, and collect their answers.

This module follows ranks; `program` follows a program that starts workers itself, and `series` the
runs of a script. All load the submission once in a process of its own, and then answer the requests
of the host.

The leader is process 1 of the job's PID namespace and runs no code of the submission. Each request
gets processes of its own, which end with it. So no port, no thread, no worker, no shared memory and
no group of one case reaches the next, and nothing outlives the job.

A hang is found by liveness, not by a clock: the host sees in ``/proc`` that no thread of the job
runs or is ready to run, and says so. Then a rank that waits for a signal of the probe is released;
if there is none, the answer says where each rank stands.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from . import rank, stream, wire
from .confine import LOOPBACK
from .fault import Fault
from .frames import FromJob, FromRank, ToJob
from .member import Member
from .records import Answer, Arguments

MAX_RANKS = 4
REQUEST_CAP = 1 << 30
BAN_STATUS = 86
# The host decides from these what ended the job: memory, CPU time, a refused system call.
NOT_A_RANK = (wire.WireError, TypeError, ValueError, KeyError, IndexError)
FOR_HOST = {-signal.SIGKILL, -signal.SIGXCPU, -signal.SIGSYS}

# Answers one request: of the request, what confines a process, the host's socket and its inbox.
Respond = Callable[[Arguments, rank.Enter, socket.socket, stream.Inbox], Answer]
# Returns how many bytes were sent over the loopback.
Traffic = Callable[[], int]


def serve(
    sock: socket.socket,
    inbox: stream.Inbox,
    enter: rank.Enter,
    respond: Respond,
    *,
    clean: Callable[[], None] | None = None,
) -> None:
    """Load the submission once, then answer requests until the host closes the socket.

    Args:
        sock: The socket to the host.
        inbox: Reads from it.
        enter: Confines a process that was just forked.
        respond: Answers one request.
        clean: Removes what the process that loaded the submission has left.
    """
    loaded = _load(enter)
    if clean is not None:
        clean()
    stream.send(sock, wire.pack(FromJob.LOADED, loaded))
    if "error" in loaded:
        return
    while True:
        frame = inbox.receive(blob_cap=REQUEST_CAP, allocate=wire.torch_buffer)
        if frame is None:
            return
        if frame.kind == ToJob.STILL:  # it crossed the answer to the last request
            continue
        request = frame.decode(tensor=wire.torch_tensor, products=True)
        del frame
        # Of what the processes send, it may be too much for this one.
        try:
            packed = wire.pack(FromJob.ANSWER, respond(request, enter, sock, inbox))
        except wire.WireError:
            packed = wire.pack(FromJob.ANSWER, {"fault": Fault("unsendable").record})
        except MemoryError:
            stop(1, "")
        stream.send(sock, packed)
        del request, packed


def respond_with_ranks(traffic: Traffic) -> Respond:
    """Return what answers one request with the ranks that it asks for."""

    def respond(
        request: Arguments, enter: rank.Enter, sock: socket.socket, inbox: stream.Inbox
    ) -> Answer:
        return Group(request, enter, traffic, inbox).answer(sock, inbox)

    return respond


class Group:
    """Fork the ranks of one request, and follow them until each has answered."""

    def __init__(
        self, request: Arguments, enter: rank.Enter, traffic: Traffic, inbox: stream.Inbox
    ) -> None:
        self._traffic, self._sent_before = traffic, traffic()
        self._members: list[Member] = []
        self._signals: set[str] = set()
        self._has_moved = True
        self._poller = select.poll()
        data = request["data"]
        # A request that names no number, as the learner's own input, is answered by one rank.
        self._is_plain = "world_size" not in data
        num_ranks = data.get("world_size", 1)
        assert 1 <= num_ranks <= MAX_RANKS, f"{num_ranks} ranks; there are 1 to {MAX_RANKS}"
        self._parts = data.pop("ranks", [{}] * num_ranks)
        assert len(self._parts) == num_ranks, "every rank has a part of the request"
        self._fork_all(num_ranks, request, enter, inbox)

    def _fork_all(
        self, num_ranks: int, request: Arguments, enter: rank.Enter, inbox: stream.Inbox
    ) -> None:
        joined_by = request["data"].pop("joined_by", "group")
        assert joined_by in ("group", "pipes"), f"ranks are not joined by {joined_by}"
        if joined_by == "pipes":
            self._fork_with_pipes(num_ranks, request, enter, inbox)
            return
        with socket.create_server((LOOPBACK, 0), backlog=64) as listener:
            port, fd = listener.getsockname()[1], listener.fileno()
            for number in range(num_ranks):
                self._fork(rank.Place(number, num_ranks, port, fd), request, enter, inbox)

    def _fork_with_pipes(
        self, num_ranks: int, request: Arguments, enter: rank.Enter, inbox: stream.Inbox
    ) -> None:
        """Fork ranks of which each but rank 0 has a pipe to rank 0; one alone is a plain process.

        Each end is open in one process only, so that the other end sees when this process dies.
        """
        pipes = [socket.socketpair() for _ in range(1, num_ranks)]
        ends = [[end for end, _ in pipes], *([end] for _, end in pipes)]
        for number, own in enumerate(ends):
            others = [end for each in ends if each is not own for end in each]
            place = rank.Place(number, num_ranks, pipes=tuple(end.fileno() for end in own))
            self._fork(place, request, enter, inbox, close=others)
        for end in (end for each in ends for end in each):
            end.close()

    def _fork(
        self,
        place: rank.Place,
        request: Arguments,
        enter: rank.Enter,
        inbox: stream.Inbox,
        close: Sequence[socket.socket] = (),
    ) -> None:
        ours, theirs = socket.socketpair()
        if (pid := os.fork()) == 0:
            for foreign in (ours, *close):
                foreign.close()
            for other in self._members:
                other.sock.close()
            # What the others got must not be in its memory, nor in its garbage.
            request["data"].update(self._parts[place.number])
            self._parts.clear()
            inbox.forget()
            gc.collect()
            rank.run(theirs, place, request, enter)
        theirs.close()
        self._members.append(Member(place.number, pid, ours))

    @property
    def pids(self) -> list[int]:
        """Return the pids of the ranks."""
        return [member.pid for member in self._members]

    def answer(self, host: socket.socket, inbox: stream.Inbox) -> Answer:
        """Return the answers of all ranks; the keys of rank 0 begin with ``rank0:``."""
        try:
            fault = self._follow(host, inbox)
        finally:
            for member in self._members:
                member.end()
        if self._is_plain:
            return fault or self._members[0].answer or {}
        found: Answer = {}
        for member in self._members:
            # When one rank ends, the exceptions of the others are consequences.
            own = {} if fault and member.has_failed else member.answer or {}
            found |= {f"rank{member.number}:{key}": item for key, item in own.items()}
            found |= {f"rank{member.number}:{key}": item for key, item in member.marks.items()}
            found[f"rank{member.number}:calls"] = [list(call) for call in member.calls]
        return found | fault

    def _follow(self, host: socket.socket, inbox: stream.Inbox) -> Answer:
        """Serve the ranks until all have answered; return the fault of those that never will."""
        by_fd = {member.sock.fileno(): member for member in self._members}
        for fd in (host.fileno(), *by_fd):
            self._poller.register(fd, select.POLLIN)
        while not all(member.is_over for member in self._members):
            for fd, _ in self._poller.poll(self._look()):
                if fd == host.fileno():
                    # The host says nothing else while it waits; or it has closed the socket.
                    if inbox.receive(blob_cap=0) is None:
                        stop(0, "")
                    fault = self._stand_still()
                else:
                    fault = self._read(by_fd[fd])
                if fault is not None:
                    return fault
        return {}

    def _look(self) -> float | None:
        """Do what is due now; return in how many milliseconds to look again, if at all."""
        return None

    def _read(self, member: Member) -> Answer | None:
        """Take what a rank has sent; return a fault that ends the request."""
        self._has_moved = True
        try:
            for frame in member.source.read():
                self._take(member, frame)
        except EOFError:
            if member.answer is None:
                return self._ended(member)
            # Its answer counts, not the way in which it ends.
            self._poller.unregister(member.sock)
        # It sent something else than a rank does, or more than there is memory for.
        except (*NOT_A_RANK, RuntimeError, MemoryError):
            return self._unreadable(member)
        return None

    def _unreadable(self, member: Member) -> Answer:
        return _fault(member, "rank_unreadable")

    def _take(self, member: Member, frame: wire.Frame) -> None:
        if frame.kind == FromRank.READY:
            member.is_ready = True
            return
        value = frame.decode(tensor=wire.torch_tensor)
        if frame.kind in (FromRank.ANSWER, FromRank.LAST) and isinstance(value, dict):
            member.answer = value
            if frame.kind == FromRank.LAST:
                os.kill(member.pid, signal.SIGKILL)
        elif frame.kind == FromRank.CALL:
            member.note(value)
        else:
            self._take_tool(member, frame.kind, value)

    def _take_tool(self, member: Member, kind: int | bytes, value: Any) -> None:
        """Take what the probe of a rank asks of its tools."""
        if kind == FromRank.SIGNAL:
            self._signals.add(value["name"])
            for other in self._members:
                if other.waits_for == value["name"]:
                    let_go(other, came=True)
        elif kind == FromRank.WAIT:
            member.waits_for = value["name"]
            if member.waits_for in self._signals:
                let_go(member, came=True)
        elif kind == FromRank.MARK:
            member.mark(str(value["name"]), self._traffic() - self._sent_before)
            let_go(member, came=True)
        else:
            raise wire.WireError("a rank sent what no rank sends")

    def _stand_still(self) -> Answer | None:
        """Take note that no thread runs; return a fault if no rank has sent anything meanwhile.

        A rank that sleeps between two collective calls is not one that waits for ever.
        """
        had_moved, self._has_moved = self._has_moved, False
        return None if had_moved or self._release() else self._hung()

    def _release(self) -> bool:
        """Release the ranks that wait for a signal that nobody will send."""
        waiting = [member for member in self._members if member.waits_for is not None]
        for member in waiting:
            let_go(member, came=False)
        return bool(waiting)

    def _ended(self, member: Member) -> Answer:
        status = member.reap()
        if not member.is_ready:
            stop(rank.NOT_READY_STATUS, f"rank {member.number} ended with status {status}")
        if status == BAN_STATUS:
            stop(BAN_STATUS, "a ban")
        if status in FOR_HOST:
            stop(128 - status, "a limit")
        how = signal.Signals(-status).name if status < 0 else f"exit {status}"
        return self._end_of(member, how)

    def _end_of(self, member: Member, how: str) -> Answer:
        return _fault(member, "rank_ended", how=how)

    def _hung(self) -> Answer:
        if any(member.has_failed for member in self._members):
            return {}
        waiting = [member for member in self._members if not member.is_over]
        for member in waiting:
            if member.has_ended():
                return self._ended(member)
        return self._standstill_of(waiting)

    def _standstill_of(self, waiting: list[Member]) -> Answer:
        shown = next((member for member in waiting if member.inside), waiting[0])
        others = [member for member in self._members if member is not shown]
        standing = ", ".join(f"rank {each.number}: {each.where()}" for each in others)
        return _fault(shown, "rank_hung", where=shown.where(), others=standing or "\u2013")


def _fault(member: Member, key: str, **values: str) -> Answer:
    record = Fault(key, rank=member.number, **values).record
    return {f"rank{member.number}:fault": record}


def let_go(member: Member, *, came: bool) -> None:
    """Answer a rank that waits, and say whether what it waits for came."""
    member.waits_for = None
    with contextlib.suppress(OSError):  # it has ended meanwhile
        member.sock.send(b"1" if came else b"0")


def stop(status: int, why: str) -> NoReturn:
    """End the job: the kernel ends all its processes with this one."""
    sys.stderr.write(f"{why}\n" if status == rank.NOT_READY_STATUS else "")
    os._exit(status)


def _load(enter: rank.Enter) -> Answer:
    """Load the submission in a process of its own; return the body of `FromJob.LOADED`."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        ours.close()
        rank.run_load(theirs, enter)
    theirs.close()
    member = Member(0, pid, ours)
    try:
        while True:
            for frame in member.source.read():
                if frame.kind == FromRank.LOADED:
                    member.end()
                    return {"error": error} if (error := frame.decode().get("error")) else {}
                member.is_ready = True
    except (EOFError, wire.WireError):
        status = member.reap()
    if not member.is_ready:
        stop(rank.NOT_READY_STATUS, f"the first process ended with status {status}")
    # What is not the status of a fault of the judge.
    stop(128 - status if status < 0 else (1 if status == rank.NOT_READY_STATUS else status), "")
