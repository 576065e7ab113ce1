"""Carry a request to the host and its messages back: by a thread that waits, or by an event loop.

Both transports read through the same ``Conversation``, which decides what a line means.
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

# A host that lives says at once how it is.
ANSWER_SECONDS = 10.0
# An event is one line; the report of a large job stays far below.
EVENT_CAP = 16 << 20


class HostRefused(TorchstoneError):
    """Carry an error that the host answered, in both languages as it came."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.error.en["code"])
        self._shapes = refusal.error
        self.exit_code = ExitCode(refusal.exit_code)  # type: ignore[misc]
        self.status = refusal.error.en["status"]  # type: ignore[misc]

    def message(self, lang: Lang) -> str:
        """Return the message of the host."""
        return getattr(self._shapes, lang)["message"]  # type: ignore[no-any-return]

    def hint(self, lang: Lang) -> str:
        """Return the hint of the host."""
        return getattr(self._shapes, lang)["hint"]  # type: ignore[no-any-return]


class HostLeft(JudgeUnavailable):
    """Raised when the host ended before it answered."""


@dataclass(slots=True)
class Conversation:
    """Read what the host says to one request; the same for every transport."""

    _last: Message | None = field(default=None)

    def hear(self, text: bytes) -> Line:
        """Read a line.

        Raises:
            HostRefused: The host answered with an error.
        """
        line = read_line(text)
        self._last = line.message
        if isinstance(line.message, Refusal):
            raise HostRefused(line.message)
        return line

    def finish(self) -> None:
        """Check that the host has said all there is.

        Raises:
            HostLeft: It has not.
        """
        if not isinstance(self._last, FINAL):
            raise HostLeft("judge.host_left")


def converse(
    sock: socket.socket, request: Request, *, patience: float | None = None
) -> Generator[Line, None, None]:
    """Send a request and yield what the host says, in this thread; closing it hangs up.

    Args:
        sock: The connection; it is closed at the end.
        request: What is asked.
        patience: How many seconds to wait for a line; as long as it takes when not given.

    Raises:
        TorchstoneError: The host answered with an error, not in time, or left.
    """
    conversation = Conversation()
    with contextlib.closing(sock):
        sock.settimeout(patience)
        sock.sendall(write_request(request))
        with sock.makefile("rb") as lines:
            for text in _whole_lines(lines):
                yield conversation.hear(text)
    conversation.finish()


async def converse_async(sock: socket.socket, request: Request) -> AsyncGenerator[Line, None]:
    """Send a request and yield what the host says, on this event loop; closing it hangs up.

    Raises:
        TorchstoneError: The host answered with an error, or left.
    """
    conversation = Conversation()
    reader, writer = await asyncio.open_unix_connection(sock=sock, limit=EVENT_CAP)
    try:
        writer.write(write_request(request))
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            await writer.drain()
            # Half a line is what a host that died leaves behind.
            while (text := await reader.readline()).endswith(b"\n"):
                yield conversation.hear(text)
        conversation.finish()
    finally:
        writer.close()


def _whole_lines(lines: BinaryIO) -> Iterator[bytes]:
    """Yield lines that end; half a line is what a host that died leaves behind."""
    try:
        for line in lines:
            if line.endswith(b"\n"):
                yield line
    except ConnectionResetError:
        return
    except TimeoutError as error:
        raise JudgeUnavailable("judge.host_silent", seconds=ANSWER_SECONDS) from error
