"""Transports of a request and its messages: blocking in a thread, or on an event loop.

Both read through the same ``Conversation``, which interprets each line.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator, Generator, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from torchstone.core.errors import JudgeUnavailable, TorchstoneError
from torchstone.core.i18n import Lang
from torchstone.core.verdict import ExitCode
from torchstone.judge.host.protocol import (
    FINAL,
    Line,
    Message,
    Refusal,
    Request,
    read_line,
    write_request,
)

# A working host sends its status at once.
ANSWER_SECONDS = 10.0
# Maximum bytes of an event, which is one line; the report of a large job is far smaller.
EVENT_CAP = 16 << 20


class HostRefused(TorchstoneError):
    """Error that the host sent, in both languages."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.error.en["code"])
        self._shapes = refusal.error
        self.exit_code = ExitCode(refusal.exit_code)  # type: ignore[misc]
        self.status = refusal.error.en["status"]  # type: ignore[misc]

    def message(self, lang: Lang) -> str:
        """Return the message of the error."""
        return getattr(self._shapes, lang)["message"]  # type: ignore[no-any-return]

    def hint(self, lang: Lang) -> str:
        """Return the hint of the error."""
        return getattr(self._shapes, lang)["hint"]  # type: ignore[no-any-return]


class HostLeft(JudgeUnavailable):
    """Raised when the host ended before it answered, in whatever way the connection broke."""


@dataclass(slots=True)
class Conversation:
    """Reader of the answer to one request, used by every transport."""

    _last: Message | None = field(default=None)

    def read(self, text: bytes) -> Line:
        """Parse a line.

        Raises:
            HostRefused: The line is an error of the host.
        """
        line = read_line(text)
        self._last = line.message
        if isinstance(line.message, Refusal):
            raise HostRefused(line.message)
        return line

    def finish(self) -> None:
        """Check that the answer is complete.

        Raises:
            HostLeft: The last message is missing.
        """
        if not isinstance(self._last, FINAL):
            raise HostLeft("judge.host_left")


def converse(
    sock: socket.socket, request: Request, *, patience: float | None = None
) -> Generator[Line, None, None]:
    """Send a request and yield the host's messages, blocking the calling thread.

    Args:
        sock: The connection; closed at the end, and when the iterator is closed.
        request: The request.
        patience: Maximum seconds to wait for each line; default: no limit.

    Raises:
        TorchstoneError: The host sent an error, sent nothing in time, or ended.
    """
    conversation = Conversation()
    with contextlib.closing(sock):
        sock.settimeout(patience)
        _send(sock, request)
        with sock.makefile("rb") as lines:
            for text in _whole_lines(lines):
                yield conversation.read(text)
    conversation.finish()


async def converse_async(sock: socket.socket, request: Request) -> AsyncGenerator[Line, None]:
    """Send a request and yield the host's messages; closing the generator disconnects.

    Raises:
        TorchstoneError: The host sent an error, or ended.
    """
    conversation = Conversation()
    reader, writer = await asyncio.open_unix_connection(sock=sock, limit=EVENT_CAP)
    try:
        writer.write(write_request(request))
        with contextlib.suppress(ConnectionError):
            await writer.drain()
            # A host that was killed can leave an incomplete line.
            while (text := await reader.readline()).endswith(b"\n"):
                yield conversation.read(text)
        conversation.finish()
    finally:
        writer.close()


def _send(sock: socket.socket, request: Request) -> None:
    try:
        # A host that refuses a request can close the connection before it has read all of it; its
        # answer is then still in the socket. A killed host leaves no answer.
        with contextlib.suppress(ConnectionError):
            sock.sendall(write_request(request))
    except TimeoutError as error:
        raise JudgeUnavailable("judge.host_silent", seconds=ANSWER_SECONDS) from error


def _whole_lines(lines: BinaryIO) -> Iterator[bytes]:
    """Yield the complete lines; a host that was killed can leave an incomplete one."""
    try:
        for line in lines:
            if line.endswith(b"\n"):
                yield line
    except ConnectionError:
        return
    except TimeoutError as error:
        raise JudgeUnavailable("judge.host_silent", seconds=ANSWER_SECONDS) from error
