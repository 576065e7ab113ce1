"""File that is still being written: reads block until the data arrives.

The writer creates a marker file beside it when it is complete. An upload can thus be parsed while
it is received.
"""

from __future__ import annotations

import os
import time
from pathlib import Path, PosixPath
from types import TracebackType
from typing import Any, Self

# Name of the marker file, in the folder of the file.
WHOLE = ".whole"
_PAUSE_SECONDS = 0.004


class ArrivingPath(PosixPath):
    """Path of a file that is still being written; readers from ``open`` wait for the rest."""

    def open(self, *args: Any, **named: Any) -> Any:
        """Open the file as a stream that waits for data."""
        return ArrivingFile(Path(self))

    def wait(self) -> None:
        """Wait until the file is complete."""
        while not _is_whole(Path(self)):
            _pause(os.getppid())


class ArrivingFile:
    """Stream of a file that is still being written.

    Args:
        path: Its path.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._parent = os.getppid()
        self._file = path.open("rb")

    def read(self, size: int) -> bytes:
        """Return the requested number of bytes; fewer only at the end of the complete file."""
        pieces, missing = [], size
        while missing:
            # Checked before reading: data written before the marker is then read.
            is_whole = _is_whole(self._path)
            piece = self._file.read(missing)
            pieces.append(piece)
            missing -= len(piece)
            if piece:
                continue
            if is_whole:
                break
            _pause(self._parent)
        return b"".join(pieces)

    def seek(self, at: int) -> int:
        """Seek to a position that was read before."""
        return self._file.seek(at)

    def tell(self) -> int:
        """Return the position of the next byte."""
        return self._file.tell()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the file."""
        self._file.close()


def _is_whole(path: Path) -> bool:
    return path.with_name(WHOLE).exists()


def _pause(parent: int) -> None:
    if os.getppid() != parent:
        # The writer has died: no more data arrives.
        raise SystemExit(1)
    time.sleep(_PAUSE_SECONDS)
