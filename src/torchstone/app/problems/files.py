"""Atomic file writes: the whole file or nothing."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from torchstone.core.errors import BadInput

# Only a crash in the middle of a save leaves such a file.
PARTIAL_PREFIX = ".torchstone-"
_AS_OPEN_DOES = 0o666


@contextmanager
def staged(path: Path, content: bytes, *, mode: int | None = None) -> Iterator[None]:
    """Write a file under another name, and move it to ``path`` when the block ends.

    Until then ``path`` is unchanged; it stays unchanged if the block or the disk fails.

    Args:
        path: The file to replace or to create; its folder exists.
        content: The whole content.
        mode: The permissions; those of a new file by default.

    Raises:
        BadInput: The file cannot be written.
    """
    partial = path.parent / f"{PARTIAL_PREFIX}{secrets.token_hex(8)}"
    try:
        with _removed_unless_moved(partial):
            _write(partial, content, mode)
            yield
            os.replace(partial, path)
            _sync_folder(path.parent)
    except OSError as error:
        raise BadInput("app.file_unwritable", path=path, reason=error.strerror) from error


@contextmanager
def _removed_unless_moved(partial: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise


def _write(path: Path, content: bytes, mode: int | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with open(os.open(path, flags, _AS_OPEN_DOES), "wb") as file:
        file.write(content)
        file.flush()
        if mode is not None:
            os.fchmod(file.fileno(), mode)
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Flush the new name to the disk, if the file system supports it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
