"""Rehearse a submission that runs as several ranks: fork them here, without sandbox or limits.

The bytes are those on the loopback of the machine, of other programs as well.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from torchstone.judge.child import driver, leader, rank, stream, wire
from torchstone.judge.child.frames import ToJob
from torchstone.judge.child.loopback import LoopbackCounter
from torchstone.judge.child.records import Answer, Arguments
from torchstone.judge.child.submission import load, load_probe
from torchstone.judge.pool.time_limit import Meter

# The host's rule: so many readings more without a thread that runs or is ready to run.
READ_EVERY_SECONDS, STILL_READINGS = 0.5, 4


@dataclass(frozen=True, slots=True)
class Program:
    """Hold what every rank loads."""

    source: str
    names: Sequence[str]
    probe: str

    def enter(
        self, num_at_once: int, /, *, network: bool = True, writes: bool = True
    ) -> rank.Loader:
        """Return what a rank still has to do; nothing confines it."""
        del num_at_once, network, writes
        return rank.Loader(
            load=lambda: load(self.source, self.names),
            probe=load_probe(self.probe),
            session=driver.Session(),
        )


def has_ranks(data: Any) -> bool:
    """Return whether a request is for several ranks."""
    return "world_size" in data


def answer_in_ranks(program: Program, request: Arguments) -> Answer:
    """Fork the ranks of one request, and return their answers."""
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    ours, theirs = socket.socketpair()
    counter = LoopbackCounter()
    before = counter.num_sent()
    with ours, theirs:
        inbox = stream.Inbox(theirs.recv_into)
        group = leader.Group(request, program.enter, counter.num_sent, inbox)
        # Not before the fork, which would copy the thread's locks.
        with _telling_of_stillness(ours, group.pids):
            found = group.answer(theirs, inbox)
    found["wire.bytes"] = counter.num_sent() - before
    counter.close()
    return found


@contextlib.contextmanager
def _telling_of_stillness(sock: socket.socket, pids: Sequence[int]) -> Iterator[None]:
    """Send the leader a frame when no thread of the ranks moves, as the host does."""
    over = threading.Event()
    meters = [meter for pid in pids if (meter := Meter.of(pid)) is not None]

    def tell() -> None:
        num_still = 0
        while not over.wait(READ_EVERY_SECONDS):
            usages = [meter.read() for meter in meters]
            moves = any(usage is not None and usage.is_active for usage in usages)
            num_still = max(0, num_still + (-2 if moves else 1))
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
