"""What client and host may say to each other: JSON lines, one request, then events.

Both ends are of one installation, so a number tells versions apart and nothing is negotiated.
"""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from typing import Any

from torchstone.core.errors import BadInput, TorchstoneError
from torchstone.judge.order import Event

PROTOCOL = 1
REQUEST_CAP = 4 << 20
# Characters; written as JSON, where one takes up to twelve bytes, it fits a request and a frame.
SOURCE_CAP = 1 << 18


def text_of(request: dict[str, Any], name: str) -> str:
    """Return a text of a request.

    Raises:
        BadInput: It is missing, or no text.
    """
    value = request.get(name)
    if not isinstance(value, str):
        raise BadInput("judge.bad_request")
    return value


def error_event(error: TorchstoneError) -> Event:
    """Return the event of an error in both languages; the client picks one."""
    shapes = {lang: error.shape(lang) for lang in ("en", "zh")}
    return {"type": "error", "exit_code": int(error.exit_code), "error": shapes}


def is_ours(writer: asyncio.StreamWriter) -> bool:
    """Return whether the peer is this user.

    The socket's mode says so already, the kernel proves it.
    """
    peer = writer.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    _, uid, _ = struct.unpack("3i", peer)
    return bool(uid == os.getuid())
