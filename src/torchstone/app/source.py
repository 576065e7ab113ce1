"""Read the file a learner submits, and refuse what cannot be one in words that help."""

import os
import stat
from pathlib import Path

from torchstone.core.errors import BadInput, NotFound

# The host refuses more; no solution comes near.
MAX_SOURCE_BYTES = 1 << 18


def read_source(path: Path) -> str:
    """Read a submitted file.

    Raises:
        NotFound: There is no such file.
        BadInput: It is a folder or a device, cannot be read, is too long, or is no UTF-8 text.
    """
    data = _read_bytes(path)
    if len(data) > MAX_SOURCE_BYTES:
        raise BadInput("app.source_too_long", path=path, kib=MAX_SOURCE_BYTES >> 10)
    try:
        source = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInput("app.source_no_text", path=path, line=line) from error
    if "\0" in source:
        line = source.count("\n", 0, source.index("\0")) + 1
        raise BadInput("app.source_has_nul", path=path, line=line)
    return source


def _read_bytes(path: Path) -> bytes:
    try:
        # Not blocking: the opening of a named pipe would wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise BadInput("app.source_no_file", path=path)
            return file.read(MAX_SOURCE_BYTES + 1)
    except FileNotFoundError as error:
        raise NotFound("app.source_absent", path=path) from error
    except IsADirectoryError as error:
        raise BadInput("app.source_no_file", path=path) from error
    except (OSError, ValueError) as error:
        # ValueError: a path with a NUL in it.
        reason = getattr(error, "strerror", None) or error
        raise BadInput("app.source_unreadable", path=path, reason=reason) from error
