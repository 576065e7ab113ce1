"""``Ledger``: the bytes that collectives send by formula; ``wire_bytes``: the bytes really sent."""

from __future__ import annotations

import os
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

# Offsets in `struct tcp_info` of linux/tcp.h: `tcpi_notsent_bytes`; `tcpi_bytes_sent`, which
# `tcpi_bytes_retrans` follows; and the size of the structure up to these fields.
_NOT_SENT_AT = 144
_BYTES_SENT_AT = 200
_TCP_INFO_BYTES = 216


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One collective, as seen by one rank.

    Attributes:
        op: The name of the method.
        axis: The axis of its ranks.
        bytes_sent: Bytes that this rank sends, by the formula of the algorithm.
        bytes_received: Bytes that this rank receives, by the formula of the algorithm.
        number: The index of the collective on its axis, from 0; messages are counted separately.
        start_s: The launch time, in seconds of ``perf_counter`` or of the simulated clock.
        end_s: The time at which it was complete.
        label: The purpose as given by ``Ledger.labelled``; empty otherwise.
        ranks: The participating ranks of the world; for a message the sender, then the receiver.
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
    """Collectives of one rank on one axis, in the order of completion.

    Attributes:
        entries: One entry for each completed collective.
    """

    entries: list[Entry] = field(default_factory=list)
    _labels: threading.local = field(default_factory=threading.local, repr=False)

    def total(self, op: str | None = None) -> int:
        """Return the bytes that this rank has sent, for one operation or in total."""
        return sum(each.bytes_sent for each in self.entries if op in (None, each.op))

    @contextmanager
    def labelled(self, label: str) -> Iterator[None]:
        """Label the collectives that this thread launches within the context."""
        before = self.label
        self._labels.now = label
        try:
            yield
        finally:
            self._labels.now = before

    @property
    def label(self) -> str:
        """Return the label of the collectives that this thread launches."""
        return getattr(self._labels, "now", "")


def wire_bytes() -> int:
    """Return the bytes that the open TCP sockets of this process have sent so far.

    Each byte counts once, without retransmissions. Closing a socket removes its bytes from the sum;
    the sockets of a world are closed at its end. Bytes that the kernel has yet to send count too,
    because a collective ends before they are sent.

    Raises:
        RuntimeError: The system is not Linux, which counts these bytes.
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
        # The descriptor was closed after it was listed.
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
