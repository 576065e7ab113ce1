"""Leader of a submission with several processes: fork them and collect their answers.

This module follows ranks; `program` follows a program that starts workers itself, and `series` the
runs of a script. Each of them loads the submission once in a separate process, and then answers the
requests of the host.

The leader is process 1 of the job's PID namespace and runs no code of the submission. Each request
gets its own processes, which end with it, so no port, thread, worker, shared memory or process
group of one case reaches the next, and nothing outlives the job.

Hangs are detected by activity, not by elapsed time: the host reads in ``/proc`` that no thread of
the job is running or ready to run, and sends an idle reading. The leader then releases a rank that
waits for a signal of the probe; if there is none, the answer reports where each rank waits.
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

from ..answering.fault import Fault
from ..confinement.confine import LOOPBACK
from ..protocol import stream, wire
from ..protocol.frames import FromJob, FromRank, ToJob
from ..protocol.records import Answer, Arguments
from . import rank
from .member import Member

MAX_RANKS = 4
REQUEST_CAP = 1 << 30
BAN_STATUS = 86
# NOT_A_RANK: errors of decoding frames that no rank sends. FOR_HOST: exit statuses from which the
# host determines what ended the job: memory, CPU time or a refused system call.
NOT_A_RANK = (wire.WireError, TypeError, ValueError, KeyError, IndexError)
FOR_HOST = {-signal.SIGKILL, -signal.SIGXCPU, -signal.SIGSYS}

# Answers one request. Arguments: the request, a function that confines a process, the host's
# socket, and its inbox.
Respond = Callable[[Arguments, rank.Enter, socket.socket, stream.Inbox], Answer]
# Returns the number of bytes sent over the loopback.
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
        inbox: Reads from the socket.
        enter: Confines a newly forked process.
        respond: Answers one request.
        clean: Removes processes and files left by the process that loaded the submission.
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
        if frame.kind == ToJob.STILL:  # the reading and the last answer crossed
            continue
        request = frame.decode(tensor=wire.torch_tensor, products=True)
        del frame
        # The answers of the processes together may exceed this process's memory.
        try:
            packed = wire.pack(FromJob.ANSWER, respond(request, enter, sock, inbox))
        except wire.WireError:
            packed = wire.pack(FromJob.ANSWER, {"fault": Fault("unsendable").record})
        except MemoryError:
            stop(1, "")
        stream.send(sock, packed)
        del request, packed


def respond_with_ranks(traffic: Traffic) -> Respond:
    """Return the function that answers a request with its ranks."""

    def respond(
        request: Arguments, enter: rank.Enter, sock: socket.socket, inbox: stream.Inbox
    ) -> Answer:
        return Group(request, enter, traffic, inbox).answer(sock, inbox)

    return respond


class Group:
    """The ranks of one request, from their fork until each has answered."""

    def __init__(
        self, request: Arguments, enter: rank.Enter, traffic: Traffic, inbox: stream.Inbox
    ) -> None:
        self._traffic, self._sent_before = traffic, traffic()
        self._members: list[Member] = []
        self._signals: set[str] = set()
        self._has_moved = True
        self._poller = select.poll()
        data = request["data"]
        # A request without a world size, such as the learner's own input, is answered by one rank.
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
        """Fork ranks that are joined by pipes between rank 0 and each other rank.

        Each end is open in one process only, so the other end sees when that process ends. A single
        rank is a plain process without pipes.
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
            # The requests of other ranks must not remain in its memory, not even as garbage.
            request["data"].update(self._parts[place.number])
            self._parts.clear()
            inbox.forget()
            gc.collect()
            rank.run(theirs, place, request, enter)
        theirs.close()
        self._members.append(Member(place.number, pid, ours))

    @property
    def pids(self) -> list[int]:
        """Return the PIDs of the ranks."""
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
            # When one rank fails, exceptions in the others are consequences.
            own = {} if fault and member.has_failed else member.answer or {}
            found |= {f"rank{member.number}:{key}": item for key, item in own.items()}
            found |= {f"rank{member.number}:{key}": item for key, item in member.marks.items()}
            found[f"rank{member.number}:calls"] = [list(call) for call in member.calls]
        return found | fault

    def _follow(self, host: socket.socket, inbox: stream.Inbox) -> Answer:
        """Serve the ranks until all have answered; return a fault if one fails or hangs."""
        by_fd = {member.sock.fileno(): member for member in self._members}
        for fd in (host.fileno(), *by_fd):
            self._poller.register(fd, select.POLLIN)
        while not all(member.is_over for member in self._members):
            for fd, _ in self._poller.poll(self._look()):
                if fd == host.fileno():
                    # The host sends only idle readings while it waits; None means that it has
                    # closed the socket.
                    if inbox.receive(blob_cap=0) is None:
                        stop(0, "")
                    fault = self._stand_still()
                else:
                    fault = self._read(by_fd[fd])
                if fault is not None:
                    return fault
        return {}

    def _look(self) -> float | None:
        """Perform due work; return the milliseconds until the next look, or None."""
        return None

    def _read(self, member: Member) -> Answer | None:
        """Read pending frames of a rank; return a fault if it ends the request."""
        self._has_moved = True
        try:
            for frame in member.source.read():
                self._take(member, frame)
        except EOFError:
            if member.answer is None:
                return self._ended(member)
            # The answer counts, not the exit status.
            self._poller.unregister(member.sock)
        # The rank sent an unknown frame, or more than memory can hold.
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
        """Handle a frame that the probe of a rank sends through its tools."""
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
        """Handle an idle reading; return a fault if no rank has sent anything since the last one.

        A rank that sleeps between two collectives is not hung.
        """
        had_moved, self._has_moved = self._has_moved, False
        return None if had_moved or self._release() else self._hung()

    def _release(self) -> bool:
        """Release the ranks that wait for a signal that no rank can send any more."""
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
    """Answer a waiting rank; ``came`` tells whether its signal or condition occurred."""
    member.waits_for = None
    with contextlib.suppress(OSError):  # the rank has ended meanwhile
        member.sock.send(b"1" if came else b"0")


def stop(status: int, why: str) -> NoReturn:
    """End the job: the kernel ends all its processes together with this one."""
    sys.stderr.write(f"{why}\n" if status == rank.NOT_READY_STATUS else "")
    os._exit(status)


def _load(enter: rank.Enter) -> Answer:
    """Load the submission in a separate process; return the body of `FromJob.LOADED`."""
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
    # NOT_READY_STATUS is reserved for faults of the judge.
    stop(128 - status if status < 0 else (1 if status == rank.NOT_READY_STATUS else status), "")
