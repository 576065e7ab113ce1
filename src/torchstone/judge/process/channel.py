"""Channel to a job process: framed messages, captured output and fail-stop reports.

One thread drives one job. The job may send invalid bytes, half a frame or nothing, close its
descriptors, or write without end. In each case the host gets a frame or an ``Ended`` within the
time that `time_limit` allows, and never allocates more than the caps.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from torchstone.judge.child.protocol.stream import FrameReader, Inbox
from torchstone.judge.child.protocol.wire import Frame, WireError

REPORT_CAP = 1 << 14
MOST_AT_ONCE = 64  # buffers in one call; the kernel takes 1024

# Charges the time spent waiting and returns the maximum seconds to wait before the next call.
# Raises `Ended` when no time is left. See `time_limit`.
OnWait = Callable[[], float]


class How(StrEnum):
    """Reason why a job sent no frame."""

    CPU = "no CPU time is left"
    IDLE = "no idle time is left"
    STALLED = "the machine is too busy"
    OUTPUT = "output"
    CLOSED = "closed"
    GARBAGE = "garbage"
    CANCELLED = "cancelled"


class Ended(Exception):
    """Raised when a job sends no further frame."""

    def __init__(self, how: How, detail: str = "") -> None:
        super().__init__(f"{how}: {detail}" if detail else str(how))
        self.how = how
        self.detail = detail


@dataclass(slots=True)
class Channel:
    """The host's ends of a job's descriptors.

    Attributes:
        sock: The job socket (stream).
        output: Read end of the pipe for the job's stdout and stderr.
        report: Read end of the pipe on which the bans write their report before they end the job.
        output_cap: Maximum bytes of output; the host ends the job after them.
        blob_cap: Maximum number of blob bytes in one answer.
    """

    sock: socket.socket
    output: int
    report: int
    output_cap: int
    blob_cap: int
    written: bytearray = field(default_factory=bytearray)
    reported: bytearray = field(default_factory=bytearray)
    cancelled: bool = False
    _open: set[int] = field(default_factory=set)
    _poll: select.poll = field(default_factory=select.poll)
    _inbox: Inbox = field(init=False)

    def __post_init__(self) -> None:
        self.sock.setblocking(False)
        self._inbox = Inbox(self.sock.recv_into)
        for fd in (self.output, self.report):
            os.set_blocking(fd, False)
        self._open = {self.output, self.report}
        for fd in self._open:
            self._poll.register(fd, select.POLLIN)
        self._poll.register(self.sock, select.POLLIN)

    def exchange(self, buffers: list[Any], on_wait: OnWait) -> Frame:
        """Send one frame (or none) and receive one.

        Args:
            buffers: The buffers of the frame; empty to receive only.
            on_wait: Charges the time spent waiting.

        Raises:
            Ended: The job sends no frame.
        """
        frame = self._run(buffers, on_wait, FrameReader(blob_cap=self.blob_cap))
        assert frame is not None, "with a reader the loop returns a frame or raises Ended"
        return frame

    def post(self, buffers: list[Any], on_wait: OnWait) -> None:
        """Send one frame and wait until the socket has accepted its last byte.

        Raises:
            Ended: The socket did not accept it.
        """
        self._run(buffers, on_wait, None)

    def _run(self, buffers: list[Any], on_wait: OnWait, reader: FrameReader | None) -> Frame | None:
        views = [memoryview(buffer).cast("B") for buffer in buffers if len(buffer)]
        # Most frames are small and fit into the socket buffer; the loop handles the others.
        waiting = self._push(views)
        frame = self._read_ahead(reader)
        if frame is not None:
            return frame
        while reader is not None or waiting:
            mask = (select.POLLIN if reader else 0) | (select.POLLOUT if waiting else 0)
            self._poll.modify(self.sock, mask)
            for fd, events in self._poll.poll(self._patience(on_wait)):
                if fd != self.sock.fileno():
                    self._drain(fd)
                    continue
                if waiting:
                    waiting = self._push(views)
                frame = self._pull(reader) if events & ~select.POLLOUT else None
                if frame is not None:
                    return frame
        return None

    def _patience(self, on_wait: OnWait) -> float:
        """Return the poll timeout in ms; short, so that a cancellation takes effect soon."""
        if self.cancelled:
            raise Ended(How.CANCELLED)
        return min(on_wait(), 0.25) * 1e3 + 1

    def has_report(self) -> bool:
        """Return whether a ban has been reported."""
        while self.report in self._open and self._read(self.report):
            pass
        return bool(self.reported)

    def finish(self) -> None:
        """Read the rest of the pipes and close every descriptor."""
        for fd in list(self._open):
            # Too much output does not matter now; a report that arrived before the end does.
            with contextlib.suppress(Ended):
                while self._read(fd):
                    pass
        self.close()

    def close(self) -> None:
        """Close every descriptor; safe to call twice."""
        self.sock.close()
        for fd in self._open:
            os.close(fd)
        self._open.clear()

    @contextlib.contextmanager
    def closed_on_error(self) -> Iterator[None]:
        """Close every descriptor if the block raises, because then no caller owns the channel."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _push(self, views: list[memoryview]) -> bool:
        """Write what the socket accepts; return whether bytes are left."""
        try:
            while views:
                sent = self.sock.sendmsg(views[:MOST_AT_ONCE])
                while views and sent >= len(views[0]):
                    sent -= len(views.pop(0))
                if sent:
                    views[0] = views[0][sent:]
        except BlockingIOError:
            return True
        except (BrokenPipeError, ConnectionResetError):
            # The host first reads the data that the job has sent, and then the end of the stream.
            views.clear()
        return bool(views)

    def _pull(self, reader: FrameReader | None) -> Frame | None:
        while reader is not None:
            try:
                frame = self._inbox.read(reader)
            except BlockingIOError:
                return None
            except EOFError:
                raise Ended(How.CLOSED) from None
            except WireError as error:
                raise Ended(How.GARBAGE, str(error)) from None
            if frame is not None:
                return frame
        return None

    def _read_ahead(self, reader: FrameReader | None) -> Frame | None:
        """Return the next frame if it arrived together with the previous one."""
        try:
            return self._inbox.feed(reader) if reader is not None else None
        except WireError as error:
            raise Ended(How.GARBAGE, str(error)) from None

    def _drain(self, fd: int) -> None:
        if self._read(fd) == 0:
            self._poll.unregister(fd)
            self._open.discard(fd)
            os.close(fd)

    def _read(self, fd: int) -> int | None:
        """Read once from a pipe.

        Return the number of bytes, 0 at the end of the pipe, ``None`` if no bytes are ready.
        """
        try:
            data = os.read(fd, 1 << 16)
        except BlockingIOError:
            return None
        if fd == self.report:
            self.reported += data[: max(REPORT_CAP - len(self.reported), 0)]
            return len(data)
        room = max(self.output_cap - len(self.written), 0)
        self.written += data[:room]
        if len(data) > room:
            raise Ended(How.OUTPUT)
        return len(data)


def open_channel(*, output_cap: int, blob_cap: int) -> tuple[Channel, list[int]]:
    """Create a channel; return it with the descriptors of the job.

    The caller closes these descriptors after the fork.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    for sock in (ours, theirs):
        for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            sock.setsockopt(socket.SOL_SOCKET, option, 4 << 20)
    output_r, output_w = os.pipe2(os.O_CLOEXEC)
    report_r, report_w = os.pipe2(os.O_CLOEXEC)
    channel = Channel(
        sock=ours, output=output_r, report=report_r, output_cap=output_cap, blob_cap=blob_cap
    )
    return channel, [theirs.detach(), report_w, output_w]
