"""``Ledger``: the bytes that collectives send by formula; ``wire_bytes``: what was sent."""

from __future__ import annotations

import os
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

# Of `struct tcp_info` in linux/tcp.h: `tcpi_notsent_bytes`; `tcpi_bytes_sent` and
# `tcpi_bytes_retrans`, one behind the other; and the size that contains them.
_NOT_SENT_AT = 144
_BYTES_SENT_AT = 200
_TCP_INFO_BYTES = 216


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One collective, seen from one rank.

    Attributes:
        op: The name of the method.
        axis: The axis of its ranks.
        bytes_sent: Payload that this rank sends, by the formula of the algorithm.
        bytes_received: Payload that it receives.
        number: The how-manieth collective of the axis it is, from 0; messages count apart.
        start_s: When it was launched, in seconds of ``perf_counter`` or of the simulated clock.
        end_s: When it was complete.
        label: What it was for; empty unless ``Ledger.labelled`` says so.
        ranks: Who took part, as ranks of the world; of a message its sender, then its receiver.
    """

    op: str
    axis: str
    bytes_sent: int
    bytes_received: int
    number: int
    start_s: float
    end_s: float
    label: str = ""
    ranks: tuple[int, ...] = ()


@dataclass(slots=True)
class Ledger:
    """The collectives of one rank on one axis, in the order of their ends.

    Attributes:
        entries: One for each collective that is complete.
    """

    entries: list[Entry] = field(default_factory=list)
    _labels: threading.local = field(default_factory=threading.local, repr=False)

    def total(self, op: str | None = None) -> int:
        """Return the bytes that this rank has sent, in one operation or in all."""
        return sum(each.bytes_sent for each in self.entries if op in (None, each.op))

    @contextmanager
    def labelled(self, label: str) -> Iterator[None]:
        """Label the collectives that this thread launches inside."""
        before = self.label
        self._labels.now = label
        try:
            yield
        finally:
            self._labels.now = before

    @property
    def label(self) -> str:
        """The label of what this thread launches."""
        return getattr(self._labels, "now", "")


def wire_bytes() -> int:
    """Return the bytes that the open TCP sockets of this process have sent so far, each once.

    A socket that is closed takes its number along; those of a world are, at its end. What a socket
    has taken and the kernel has still to send counts: a collective ends before it.

    Raises:
        RuntimeError: The system does not count them; Linux does.
    """
    if not os.path.isdir("/proc/self/fd"):
        raise RuntimeError(
            "wire_bytes: this system does not tell what a socket has sent; use Linux."
        )
    return sum(_bytes_sent(int(name)) for name in os.listdir("/proc/self/fd"))


def _bytes_sent(descriptor: int) -> int:
    try:
        if not os.readlink(f"/proc/self/fd/{descriptor}").startswith("socket:"):
            return 0
        duplicate = socket.socket(fileno=os.dup(descriptor))
    except OSError:
        # It was closed since it was listed.
        return 0
    with duplicate as each:
        is_tcp = each.type == socket.SOCK_STREAM and each.family in (
            socket.AF_INET,
            socket.AF_INET6,
        )
        if not is_tcp:
            return 0
        info = each.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    if len(info) < _TCP_INFO_BYTES:
        return 0
    (waiting,) = struct.unpack_from("=I", info, _NOT_SENT_AT)
    sent, sent_again = struct.unpack_from("=QQ", info, _BYTES_SENT_AT)
    return int(waiting + sent - sent_again)
