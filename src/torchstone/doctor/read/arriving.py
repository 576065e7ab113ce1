"""A file that is still being written, read as if it were whole: reading waits for what comes.

Who writes it puts a mark beside it when all is there. So a file that a page sends is read while it
is sent.
"""

from __future__ import annotations

import os
import time
from pathlib import Path, PosixPath
from types import TracebackType
from typing import Any, Self

# The mark, in the folder of the file.
WHOLE = ".whole"
_PAUSE_SECONDS = 0.004


class ArrivingPath(PosixPath):
    """The path of a file that is still being written; what ``open`` returns waits for the rest."""

    def open(self, *args: Any, **named: Any) -> Any:
        """Return the bytes of the file as they come."""
        return ArrivingFile(Path(self))

    def wait(self) -> None:
        """Wait until the file is whole."""
        while not _is_whole(Path(self)):
            _pause(os.getppid())


class ArrivingFile:
    """The bytes of a file that is still being written.

    Args:
        path: Its path.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._parent = os.getppid()
        self._file = path.open("rb")

    def read(self, size: int) -> bytes:
        """Return so many bytes, fewer only at the end of the whole file."""
        pieces, missing = [], size
        while missing:
            # Asked before reading: what was written before the mark is then read.
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
        """Go to a place that was read before."""
        return self._file.seek(at)

    def tell(self) -> int:
        """Return the place of the next byte."""
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
        # Who writes it has died: nothing comes any more.
        raise SystemExit(1)
    time.sleep(_PAUSE_SECONDS)
