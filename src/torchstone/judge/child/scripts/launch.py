"""One launch of a training script: start its ranks, wait for their ends, and explain failures.

The leader runs this; see `launches`.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass, replace

from ..answering.fault import Fault
from ..processes import leader, rank
from ..processes.member import Member
from ..protocol import stream, wire
from ..protocol.frames import FromRank
from ..protocol.records import Answer, Arguments
from . import folder, launched, torchrun
from .acts import Acts

MAX_RANKS = 4
SIGNALLED = 128
# Idle readings, one per second, before ranks count as hung if they are expected to fail by
# themselves: one of them may be waiting for the timeout of its process group.
PATIENCE = 9
# MISUSED is the exit code of argparse, and of most programs called with wrong arguments.
FAILED, MISUSED = 1, 2
# Messages by which the end of one rank shows in the others.
_ECHOES = ("closed by peer", "Connection reset", "Broken pipe", "Socket closed")
_REFUSED = ("Permission denied", "Read-only file system", "Operation not permitted")
_Pair = tuple[socket.socket, socket.socket]


@dataclass(slots=True)
class _Rank:
    """State of one rank: its reports and the exit status of its process.

    Attributes:
        pid: PID of a forked rank; None for a worker of torchrun, which torchrun waits for.
        exit: Its exit code, or 128 plus the number of the signal that ended it.
    """

    member: Member
    pid: int | None
    exit: int | None = None

    @property
    def said(self) -> Answer:
        """Return its final report."""
        return self.member.answer or {}

    def has_said(self, key: str) -> bool:
        """Return whether the final report has a non-empty value under ``key``."""
        return bool(self.said.get(key))

    def precedence(self) -> tuple[bool, bool, int]:
        """Return a sort key that puts an original failure before its consequences."""
        raised = self.said.get("raised")
        is_told = isinstance(raised, dict)
        message = str(raised.get("message")) if isinstance(raised, dict) else ""
        is_echo = not is_told or any(sign in message for sign in _ECHOES)
        return not self.has_said("written"), is_echo, self.member.number


class Launch:
    """One launch: the processes of its ranks, from their start to their end."""

    def __init__(self, act: Arguments, path: str, acts: Acts, enter: rank.Enter) -> None:
        self._act, self._acts, self._enter = act, acts, enter
        num_ranks, self._by = act["ranks"], act.get("by", "fork")
        assert 1 <= num_ranks <= MAX_RANKS, f"{num_ranks} ranks; there are 1 to {MAX_RANKS}"
        self._order = launched.RankOrder(
            rank=0,
            num_ranks=num_ranks,
            num_nodes=act.get("nodes", 1),
            port=act.get("port"),
            argv=tuple(word.replace("{box}", folder.place()) for word in act["argv"]),
            folder=path,
        )
        self._ranks: list[_Rank] = []
        # Maps the pidfd of each watched process to its PID.
        self._ends: dict[int, int] = {}
        self._poller = select.poll()

    def start(self, forget: Callable[[], None]) -> None:
        """Fork the ranks, or torchrun, which forks them."""
        pairs = [socket.socketpair() for _ in range(self._order.num_ranks)]
        if self._by == "torchrun":
            self._start_torchrun(pairs, forget)
        else:
            for number, (ours, theirs) in enumerate(pairs):
                order = replace(self._order, rank=number)
                if (pid := os.fork()) == 0:
                    for other in (end for pair in pairs for end in pair if end is not theirs):
                        other.close()
                    for fd in self._ends:
                        os.close(fd)
                    forget()
                    launched.run(theirs, _with_local_rank(order, self._act), self._enter)
                self._ranks.append(_Rank(Member(number, pid, ours), pid))
                self._watch(pid)
        for each, (_, theirs) in zip(self._ranks, pairs, strict=True):
            theirs.close()
            self._poller.register(each.member.sock, select.POLLIN)

    def _start_torchrun(self, pairs: list[_Pair], forget: Callable[[], None]) -> None:
        if (pid := os.fork()) == 0:
            for ours, _ in pairs:
                ours.close()
            forget()
            torchrun.run(self._order, [theirs for _, theirs in pairs], self._enter)
        self._ranks = [_Rank(Member(at, pid, ours), None) for at, (ours, _) in enumerate(pairs)]
        self._watch(pid)

    def _watch(self, pid: int) -> None:
        fd = os.pidfd_open(pid)
        self._ends[fd] = pid
        self._poller.register(fd, select.POLLIN)

    def follow(self, host: socket.socket, inbox: stream.Inbox) -> Answer:
        """Serve the ranks until all have ended or one has failed; return exit codes and fault."""
        by_fd = {each.member.sock.fileno(): each for each in self._ranks}
        self._poller.register(host, select.POLLIN)
        fault: Answer = {}
        while self._ends and not fault:
            for fd, _ in self._poller.poll():
                if fd in self._ends:
                    fault = fault or self._take_end(fd)
                elif fd in by_fd:
                    self._acts.moves()
                    fault = fault or self._read(by_fd[fd])
                # The host sends only idle readings while it waits; None means that it has closed
                # the socket.
                elif inbox.receive(blob_cap=0) is None:
                    leader.stop(0, "")
                elif self._acts.stands_still(PATIENCE if self._act.get("fails") else 1):
                    fault = fault or self._hung()
        return self._found() | fault

    def _found(self) -> Answer:
        return {f"rank{each.member.number}:exit": each.exit for each in self._ranks}

    def _read(self, each: _Rank) -> Answer:
        """Read all pending frames of a rank; return a fault if it ends the launch."""
        member = each.member
        try:
            while _is_open(member) and select.select([member.sock], [], [], 0)[0]:
                for frame in member.source.read():
                    self._take(member, frame)
        except EOFError:
            self._poller.unregister(member.sock)
            member.sock.close()
        # The rank sent an unknown frame, or more than memory can hold.
        except (*leader.NOT_A_RANK, RuntimeError, MemoryError):
            return _fault(member, "rank_unreadable")
        return {}

    def _take(self, member: Member, frame: wire.Frame) -> None:
        value = frame.decode(tensor=wire.torch_tensor)
        if frame.kind == FromRank.READY:
            member.is_ready = True
        elif frame.kind == FromRank.CALL:
            member.note(value)
        elif frame.kind == FromRank.ANSWER and isinstance(value, dict):
            if member.answer is None:
                member.answer = value
        else:
            raise wire.WireError("a rank sent what no rank sends")

    def _take_end(self, fd: int) -> Answer:
        """Handle the end of a process; return a fault if it ends the launch."""
        pid = self._ends.pop(fd)
        self._poller.unregister(fd)
        os.close(fd)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if self._by == "torchrun":
            return self._torchrun_ended(status)
        each = next(each for each in self._ranks if each.pid == pid)
        fault = self._read(each)
        self._require_ready(each.member, status)
        each.exit = status if status >= 0 else SIGNALLED - status
        if self._act.get("fails"):
            return fault
        return fault or (self._why() if each.exit else self._wrote(each))

    def _torchrun_ended(self, status: int) -> Answer:
        """Handle the exit code of torchrun, which tells only whether all ranks returned 0."""
        fault: Answer = {}
        for each in self._ranks:
            fault = fault or self._read(each)
            answer = each.member.answer or {}
            # A rank without an answer was ended because another had failed.
            each.exit = int(answer.get("exit", FAILED)) & 0xFF
        if leader.BAN_STATUS in (status, *(each.exit for each in self._ranks)):
            leader.stop(leader.BAN_STATUS, "a ban")
        if status == 0 or fault:
            return fault or next(filter(None, map(self._wrote, self._ranks)), {})
        return self._why()

    def _require_ready(self, member: Member, status: int) -> None:
        if status == leader.BAN_STATUS:
            leader.stop(leader.BAN_STATUS, "a ban")
        if not member.is_ready:
            leader.stop(rank.NOT_READY_STATUS, f"rank {member.number} ended with status {status}")
        if status in leader.FOR_HOST:
            leader.stop(128 - status, "a limit")

    def _why(self) -> Answer:
        """Return why a rank has failed, as a message if the cause is a common one."""
        for each in self._ranks:
            self._read(each)
        failed = [each for each in self._ranks if each.exit or each.has_said("raised")]
        first = min(failed, key=_Rank.precedence)
        return self._wrote(first) or _reason(first, self._order)

    def _wrote(self, each: _Rank) -> Answer:
        """Return the fault of a rank other than 0 that opened a file for writing."""
        if not each.member.number or not each.has_said("written"):
            return {}
        name = str(each.said["written"][0])
        return _fault(each.member, "rank_wrote", name=name)

    def _hung(self) -> Answer:
        waiting = [each.member for each in self._ranks if each.exit is None]
        shown = next((member for member in waiting if member.inside), waiting[0])
        others = [each.member for each in self._ranks if each.member is not shown]
        standing = ", ".join(f"rank {each.number}: {each.where()}" for each in others)
        return _fault(shown, "rank_hung", where=shown.where(), others=standing or "\u2013")

    def end(self) -> None:
        """Kill the remaining processes and close their descriptors."""
        for fd, pid in self._ends.items():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(fd)
        self._ends.clear()
        for each in self._ranks:
            each.member.sock.close()


def _with_local_rank(order: launched.RankOrder, act: Arguments) -> launched.RankOrder:
    """Add the argument of torch.distributed.launch, in the spelling of the act."""
    spelling = act.get("local_rank")
    if spelling is None:
        return order
    number = order.rank % (order.num_ranks // order.num_nodes)
    return replace(order, argv=(*spelling.format(number).split(), *order.argv))


def _fault(member: Member, key: str, **values: str) -> Answer:
    record = Fault(key, rank=member.number, **values).record
    return {f"rank{member.number}:fault": record}


def _is_open(member: Member) -> bool:
    return member.sock.fileno() >= 0


def has_failed(found: Answer) -> bool:
    """Return whether a rank has ended with an exit code other than 0."""
    return any(key.endswith(":exit") and item not in (0, None) for key, item in found.items())


def _reason(each: _Rank, order: launched.RankOrder) -> Answer:
    """Explain the failure of a rank from its exit code and reported exception."""
    member, raised = each.member, each.said.get("raised")
    if not isinstance(raised, dict):
        how = f"exit {each.exit}"
        if each.exit is not None and each.exit > SIGNALLED:
            how = signal.Signals(each.exit - SIGNALLED).name
        return _fault(member, "rank_ended", how=how)
    said = explain(raised, each.exit, order, member.number)
    if said is not None:
        return {f"rank{member.number}:fault": said.record}
    return {f"rank{member.number}:raised": raised}


def explain(
    raised: Answer, status: int | None, order: launched.RankOrder, number: int
) -> Fault | None:
    """Return the message for an exception that is common at a script's first start, or None."""
    message = str(raised.get("message"))
    if raised.get("type") == "SystemExit" and status == MISUSED:
        return Fault("launch_arguments", rank=number, argv=" ".join(order.argv) or "\u2013")
    if "EADDRINUSE" in message or "ddress already in use" in message:
        return Fault("launch_port", rank=number, port=order.port or "\u2013")
    if number == 0 and any(sign in message for sign in _REFUSED):
        return Fault("launch_out", rank=number, message=message)
    return None
