"""One run of a script that is started repeatedly: load the submission, answer one request.

A run keeps only its folder. It is forked from a *stem*: a process that is made before the first run
and never receives the reports of runs, so a run's memory holds nothing of earlier runs. The leader
follows the runs and ends them; see `series`.
"""

from __future__ import annotations

import builtins
import json
import os
import resource
import socket
import struct
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from .. import driver
from ..confinement.confine import bind_lifetime
from ..processes import rank
from ..protocol import wire
from ..protocol.frames import FromRun
from ..protocol.records import Answer, Arguments

# A submission may rebind names in `builtins`; this module looks names up in a copy.
__builtins__ = dict(vars(builtins))  # type: ignore[assignment]

ORDER_CAP = 1 << 16
STATUS = struct.Struct("<i")

Enter = rank.Enter


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOrder:
    """Parameters of one run.

    Attributes:
        number: The index of the run within its request, from 0.
        folder: The folder that it shares with earlier and later runs.
        data: Request data for this run only.
        file_bytes: Maximum size of a file in bytes; None for the limit of the disk.
    """

    number: int
    folder: str
    data: Arguments
    file_bytes: int | None


@dataclass(frozen=True, slots=True)
class RunTools:
    """Operations that a probe may request of its run.

    Attributes:
        number: The index of the run within its request, from 0.
        folder: The path of the folder that it shares with earlier and later runs.
    """

    number: int
    folder: str
    _link: rank.Link

    def event(self, name: str, *values: Any) -> None:
        """Report an event; the judge may kill the process in this call."""
        self._link.ask(FromRun.EVENT, [name, *values])


class Stem:
    """Process that forks the runs of one request; the leader makes it before the first run."""

    def __init__(self, forget: Callable[[], None], request: Arguments, enter: Enter) -> None:
        """Fork the stem.

        Args:
            forget: Deletes, in the stem, what no run may read.
            request: The request that each run answers.
            enter: Confines a run.
        """
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._pid = os.fork()
        if self._pid == 0:
            self._control.close()
            forget()
            _serve(theirs, request, enter)
        theirs.close()

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when a run has ended."""
        return self._control.fileno()

    def start(self, order: RunOrder) -> tuple[int, socket.socket]:
        """Start a run; return its PID and the socket for its reports."""
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._control, [json.dumps(asdict(order)).encode()], [theirs.fileno()])
        (pid,) = STATUS.unpack(self._control.recv(STATUS.size))
        return pid, ours

    def status(self) -> int:
        """Wait for the end of the latest run; return its exit code."""
        return os.waitstatus_to_exitcode(STATUS.unpack(self._control.recv(STATUS.size))[0])

    def end(self) -> None:
        """End the stem, which must have no run; later calls do nothing."""
        if self._pid:
            self._control.close()
            os.waitpid(self._pid, 0)
            self._pid = 0


def _serve(control: socket.socket, request: Arguments, enter: Enter) -> None:
    """Fork one run after the other until the leader closes the socket; never return."""
    try:
        bind_lifetime()
        while True:
            message, fds, _, _ = socket.recv_fds(control, ORDER_CAP, 1)
            if not message:
                os._exit(0)
            pid = os.fork()
            if pid == 0:
                control.close()
                order = RunOrder(**json.loads(message))
                # With the family given, Python makes no system call to determine it.
                sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fds[0])
                run(sock, order, request, enter)
            os.close(fds[0])
            control.send(STATUS.pack(pid))
            control.send(STATUS.pack(os.waitpid(pid, 0)[1]))
    except BaseException as error:  # noqa: BLE001  this process never returns into the leader
        sys.stderr.write(f"stem: {type(error).__name__}: {error}\n")
    finally:
        os._exit(rank.NOT_READY_STATUS)


def run(sock: socket.socket, order: RunOrder, request: Arguments, enter: Enter) -> None:
    """Answer one request in this process, then end it."""

    def work() -> None:
        if order.file_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (order.file_bytes, order.file_bytes))
        link = rank.Link(sock)
        loader = enter(1)
        driver.run = RunTools(order.number, order.folder, link)
        link.send(FromRun.READY, {})
        asked = {**request, "data": {**request["data"], **order.data}}
        answer: Answer = rank.answer_with(loader, asked)
        try:
            link.send(FromRun.ANSWER, answer)
        except wire.WireError:
            link.send(FromRun.ANSWER, {"fault": driver.Fault("unsendable").record})
        link.wait_for_end()

    rank.run_and_end(work)
