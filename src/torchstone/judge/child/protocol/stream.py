"""Framed streams: send frames, and reassemble them from pieces.

Standard library only, like `wire`, because the supervisor also reads with it.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .wire import HEAD, MAGIC, TABLE_CAP, TREE_CAP, VERSION, Frame, WireError

# Blobs of a frame with at most this total size are received in one piece.
TOGETHER = 1 << 16
# Maximum bytes of a large blob in one read, so that deadlines are checked in between.
AT_ONCE = 1 << 20


def send(sock: Any, buffers: list[Any]) -> None:
    """Write all buffers to a blocking stream socket."""
    views = [memoryview(buffer).cast("B") for buffer in buffers if len(buffer)]
    while views:
        # Not sendmsg: it raises an audit event, which ends a sealed job.
        sent = os.writev(sock.fileno(), views[:64])
        while views and sent >= len(views[0]):
            sent -= len(views[0])
            views.pop(0)
        if sent:
            views[0] = views[0][sent:]


class FrameReader:
    """Assembler of one frame from a stream that arrives in pieces of any size.

    It reads nothing itself: the caller fills ``buffer()`` and reports the number of bytes, so the
    same code serves a blocking child, a supervisor that watches several descriptors, and a test
    with a hostile peer. It never allocates more than the peer declared, nor more than the caps.
    """

    def __init__(self, *, blob_cap: int, allocate: Callable[[int], Any] = bytearray) -> None:
        self._blob_cap = blob_cap
        self._allocate = allocate
        self._head: tuple[bytes, int, int, int] | None = None
        self._tree: bytes | None = None
        self._table: tuple[int, ...] = ()
        self._due: list[int] = []
        self._blobs: list[Any] = []
        self._part: Any = bytearray(HEAD.size)
        self._view: memoryview = memoryview(self._part)

    @property
    def started(self) -> bool:
        """Return whether a part of the frame has arrived."""
        return self._head is not None or len(self._view) < HEAD.size

    def buffer(self) -> memoryview:
        """Return the buffer for the next bytes; never empty."""
        return self._view

    def advance(self, num_bytes: int) -> Frame | None:
        """Account for bytes that arrived; return the frame once it is complete.

        Raises:
            WireError: The stream is not a frame, or exceeds a cap.
        """
        self._view = self._view[num_bytes:]
        while not len(self._view):
            if self._head is None:
                self._read_head()
            elif self._tree is None:
                self._read_body()
            else:
                self._blobs.append(self._part)
            if self._tree is not None:
                if not self._due:
                    return self._frame()
                self._expect_blob(self._due.pop())
        return None

    def _expect_blob(self, size: int) -> None:
        # Small blobs come in one piece; each large one gets separate memory, which a tensor takes
        # over.
        self._expect(self._allocate(size) if size and self._is_large else bytearray(size))

    @property
    def _is_large(self) -> bool:
        assert self._head is not None, "the head is read before anything else"
        return self._head[3] > TOGETHER

    def _expect(self, part: Any) -> None:
        self._part = part
        self._view = memoryview(part).cast("B") if len(part) else memoryview(b"")

    def _read_head(self) -> None:
        magic, kind, version, tree_len, table_len, blobs_len = HEAD.unpack(self._part)
        if magic != MAGIC or version != VERSION:
            raise WireError(f"not a frame: head {bytes(self._part)[:4]!r}")
        if (
            tree_len > TREE_CAP
            or table_len > TABLE_CAP
            or table_len % 8
            or blobs_len > self._blob_cap
        ):
            sizes = f"tree {tree_len}, table {table_len}, blobs {blobs_len} bytes"
            raise WireError(f"frame {kind!r} breaks a cap: {sizes}")
        self._head = (kind, tree_len, table_len, blobs_len)
        self._expect(bytearray(tree_len + table_len))

    def _read_body(self) -> None:
        assert self._head is not None, "the head is read before anything else"
        kind, tree_len, table_len, blobs_len = self._head
        self._tree = bytes(self._part[:tree_len])
        self._table = struct.unpack_from(f"<{table_len // 8}Q", self._part, tree_len)
        if sum(self._table) != blobs_len:
            raise WireError(
                f"frame {kind!r}: the blob table adds up to {sum(self._table)}, "
                f"the head says {blobs_len}"
            )
        self._due = [*reversed(self._table)] if self._is_large else [blobs_len]

    def _frame(self) -> Frame:
        assert self._head is not None, "the head is read before anything else"
        assert self._tree is not None, "the tree is read before the blobs"
        blobs = self._blobs if self._is_large else _cut(self._blobs[0], self._table)
        return Frame(kind=self._head[0], tree=self._tree, blobs=blobs)


def _cut(whole: Any, lengths: Sequence[int]) -> list[memoryview]:
    views, at = [], 0
    for length in lengths:
        views.append(memoryview(whole)[at : at + length])
        at += length
    return views


class FrameSource:
    """Source of the frames of a possibly hostile process, as its bytes arrive."""

    def __init__(self, sock: Any, *, blob_cap: int, allocate: Callable[[int], Any]) -> None:
        """Start to read a socket."""
        self._inbox = Inbox(sock.recv_into)
        self._blob_cap, self._allocate = blob_cap, allocate
        self._reader = self._next()

    def _next(self) -> FrameReader:
        return FrameReader(blob_cap=self._blob_cap, allocate=self._allocate)

    def read(self) -> Iterator[Frame]:
        """Read once, and yield the frames that are complete.

        Raises:
            EOFError: The process has ended.
            WireError: It did not send frames.
        """
        frame = self._inbox.read(self._reader)
        while frame is not None:
            self._reader = self._next()
            yield frame
            frame = self._inbox.feed(self._reader)


class Inbox:
    """Reader of a stream with few calls: several small frames arrive in one read.

    Bytes beyond the current frame are kept for the next, so a stream has exactly one inbox.
    """

    def __init__(self, recv_into: Callable[[Any, int], int]) -> None:
        """Store a function like ``socket.recv_into``."""
        self._recv_into = recv_into
        self._room = bytearray(TOGETHER)
        self._ahead = memoryview(b"")

    @property
    def is_empty(self) -> bool:
        """Return whether no bytes are buffered beyond the current frame; reads nothing."""
        return not len(self._ahead)

    def forget(self) -> None:
        """Overwrite the buffer, which may still contain a small frame."""
        self._room[:] = bytes(len(self._room))
        self._ahead = memoryview(b"")

    def feed(self, reader: FrameReader) -> Frame | None:
        """Feed buffered bytes to a reader; return its frame if that completes it.

        Raises:
            WireError: The stream is not a frame, or exceeds a cap.
        """
        while len(self._ahead):
            view = reader.buffer()
            size = min(len(view), len(self._ahead))
            view[:size] = self._ahead[:size]
            self._ahead = self._ahead[size:]
            frame = reader.advance(size)
            if frame is not None:
                return frame
        return None

    def read(self, reader: FrameReader) -> Frame | None:
        """Read once from the stream into a reader; return its frame if it is complete.

        Raises:
            EOFError: The stream has ended.
            WireError: The stream is not a frame, or exceeds a cap.
        """
        view = reader.buffer()
        is_long = len(view) > len(self._room)
        target = view if is_long else self._room
        try:
            got = self._recv_into(target, min(len(target), AT_ONCE))
        except ConnectionResetError:
            got = 0
        if got == 0:
            raise EOFError
        if is_long:
            return reader.advance(got)
        self._ahead = memoryview(self._room)[:got]
        return self.feed(reader)

    def receive(self, *, blob_cap: int, allocate: Callable[[int], Any] = bytearray) -> Frame | None:
        """Read one frame from a blocking stream; return None at a clean end.

        Raises:
            WireError: The stream is not a frame, ends in the middle, or exceeds a cap.
        """
        reader = FrameReader(blob_cap=blob_cap, allocate=allocate)
        frame = self.feed(reader)
        while frame is None:
            try:
                frame = self.read(reader)
            except EOFError:
                if not reader.started:
                    return None
                raise WireError("the stream ended in the middle of a frame") from None
        return frame
