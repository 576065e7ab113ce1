"""Rehearsal of a submission with several processes: led as in a job, without sandbox or limits.

The leader is a fork of this process, and the processes that it leads are forks of the leader. They
have no namespaces: bytes are counted on the machine's loopback, and shared memory is common to all
programs. Activity of other programs counts as well, and a port may be in use.
"""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import functools
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from torchstone.judge.child import driver
from torchstone.judge.child.answering.fault import Fault
from torchstone.judge.child.loaders.submission import LoadError, load, read_probe
from torchstone.judge.child.processes import leader, program, rank
from torchstone.judge.child.processes.loopback import LoopbackCounter
from torchstone.judge.child.protocol import stream, wire
from torchstone.judge.child.protocol.frames import ToJob
from torchstone.judge.child.protocol.records import Answer, Arguments
from torchstone.judge.child.scripts import folder, launches, series
from torchstone.judge.child.zygote import preloading
from torchstone.judge.process.usage import Meter
from torchstone.judge.proof.led import Led
from torchstone.judge.proof.rehearsed_census import DescendantCensus

# As in the host: an idle reading is sent after this many idle samples, 0.25 s apart.
READ_EVERY_SECONDS, STILL_READINGS = 0.25, 4


@dataclass(frozen=True, slots=True)
class Program:
    """The program that every process loads."""

    source: str
    names: Sequence[str]
    probe: str


class Leader:
    """A leader process, and the host's side of its socket.

    Raises:
        LoadError: The submission cannot be judged.
    """

    def __init__(self, led: Led, what: Program) -> None:
        self._led = led
        self._folder = tempfile.mkdtemp(prefix="torchstone-rehearsal-")
        self._sock, theirs = socket.socketpair()
        sys.stdout.flush()
        sys.stderr.flush()
        self._pid = os.fork()
        if self._pid == 0:
            self._sock.close()
            _lead(theirs, led, what, self._folder)
        theirs.close()
        self._inbox = stream.Inbox(self._sock.recv_into)
        loaded = self._receive()
        if (error := loaded.get("error")) is not None:
            self.close()
            raise LoadError(error["code"], error["key"], error.get("values", {}), error["error"])

    def answer(self, request: Arguments) -> Answer:
        """Return the answer to one request."""
        with contextlib.closing(LoopbackCounter()) as counter:
            before = counter.num_sent()
            try:
                stream.send(self._sock, wire.pack(ToJob.CASE, request))
            except ConnectionError:
                return _ended()
            found = self._receive()
            if self._led is Led.RANKS:
                found["wire.bytes"] = counter.num_sent() - before
        return found

    def close(self) -> None:
        """End the leader, which then has no processes, and remove the folder."""
        self._sock.close()
        os.waitpid(self._pid, 0)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _receive(self) -> Answer:
        # Not started before a fork, which would copy the thread's locks.
        with _telling_of_stillness(self._sock, self._pid):
            try:
                frame = self._inbox.receive(blob_cap=leader.REQUEST_CAP, allocate=wire.torch_buffer)
            except ConnectionError:
                frame = None
        if frame is None:
            return _ended()
        found: Answer = frame.decode(tensor=wire.torch_tensor)
        return found


def _ended() -> Answer:
    """Return the answer for a leader that has ended because a process was killed."""
    return {"fault": Fault("program_ended", how=signal.SIGKILL.name).record}


@contextlib.contextmanager
def _telling_of_stillness(sock: socket.socket, pid: int) -> Iterator[None]:
    """Send the leader an idle reading when no thread of its processes runs, as the host does."""
    over, meter = threading.Event(), Meter.of(pid)

    def tell() -> None:
        num_still = 0
        while not over.wait(READ_EVERY_SECONDS):
            usage = None if meter is None else meter.read()
            if usage is None:
                return
            num_still = max(0, num_still + (-2 if usage.is_active else 1))
            if num_still >= STILL_READINGS:
                num_still = 0
                with contextlib.suppress(OSError):
                    sock.sendmsg(wire.pack(ToJob.STILL, {}))

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()


def _lead(sock: socket.socket, led: Led, what: Program, box: str) -> NoReturn:
    """Lead the processes of one submission until the socket is closed."""
    status = rank.NOT_READY_STATUS
    try:
        # A script runs exit handlers at its end, and a worker may crash on purpose; this program's
        # own exit handlers must not run then.
        atexit._clear()
        faulthandler.disable()
        os.environ["GLOO_SOCKET_IFNAME"] = "lo"
        preloading.import_torch()
        folder.lie_in(box)
        os.chdir(box)
        census = DescendantCensus(box)
        enter = functools.partial(_enter, what, executes=led is not Led.LAUNCHES)
        clean = census.sweep if led is Led.WORKERS else None
        inbox = stream.Inbox(sock.recv_into)
        leader.serve(sock, inbox, enter, _respond(led, what, census), clean=clean)
        census.end_others()
        status = 0
    except BaseException as error:  # noqa: BLE001  this process never returns into its parent
        sys.stderr.write(f"leader: {type(error).__name__}: {error}\n")
    finally:
        os._exit(status)


def _respond(led: Led, what: Program, census: DescendantCensus) -> leader.Respond:
    if led is Led.WORKERS:
        return program.respond_with_workers(read_probe(what.probe).conclude, census)
    if led is Led.RUNS:
        return series.respond_with_runs
    traffic = LoopbackCounter().num_sent
    if led is Led.LAUNCHES:
        return launches.respond_with_launches(traffic, census)
    return leader.respond_with_ranks(traffic)


def _enter(
    what: Program,
    num_at_once: int,
    /,
    *,
    executes: bool,
    network: bool = True,
    writes: bool = True,
) -> rank.Loader:
    """Return the loader of a process, without confining it."""
    del num_at_once, network, writes
    rank.renew_thread_pool()
    return rank.Loader(
        load=lambda: load(what.source, what.names, execute=executes),
        probe=read_probe(what.probe).answer,
        session=driver.Session(),
    )
