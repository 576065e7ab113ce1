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
from torchstone.judge.child.confine import LoopbackCounter
from torchstone.judge.child.frames import ToJob
from torchstone.judge.child.records import Answer, Arguments
from torchstone.judge.child.submission import load, load_probe

# Ranks that report nothing for this long, twice, are taken to wait for each other.
STILL_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Program:
    """Hold what every rank loads."""

    source: str
    names: Sequence[str]
    probe: str

    def enter(self, num_at_once: int, /, *, network: bool = True) -> rank.Loader:
        """Return what a rank still has to do; nothing confines it."""
        del num_at_once, network
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
        with _telling_of_stillness(ours):
            found = group.answer(theirs, inbox)
    found["wire.bytes"] = counter.num_sent() - before
    counter.close()
    return found


@contextlib.contextmanager
def _telling_of_stillness(sock: socket.socket) -> Iterator[None]:
    """Say every few seconds that no thread moves, as the host does when it sees that."""
    over = threading.Event()

    def tell() -> None:
        while not over.wait(STILL_SECONDS):
            with contextlib.suppress(OSError):
                sock.sendmsg(wire.pack(ToJob.STILL, {}))

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()
