"""Source file reader: read submitted files, and raise clear errors for invalid ones."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from torchstone.core.bundle import BadBundle, bundle_folder
from torchstone.core.errors import BadInput, NotFound
from torchstone.core.i18n import Lang, text

# The host rejects longer texts; no solution is as long.
MAX_SOURCE_BYTES = 1 << 18


class BadPackage(BadInput):
    """Raised for files that are not a package; the message names the fault, file and line."""

    @classmethod
    def of(cls, path: Path, fault: BadBundle) -> "BadPackage":
        """Return the error of a folder or a text with a fault."""
        return cls("app.source_folder", path=path, key=fault.key, word=fault.word, line=fault.line)

    def message(self, lang: Lang) -> str:
        """Return the sentence, with the fault in the reader's language."""
        reason = text(f"app.bundle.{self.values['key']}", lang, **self.values)
        return text(f"{self.code}.message", lang, **{**self.values, "reason": reason})


@dataclass(frozen=True, slots=True, kw_only=True)
class FileContent:
    """The content of a file at one moment.

    Args:
        data: Its bytes.
        mode: Its permissions.
        mtime: The time of its last change, in seconds since 1970.
    """

    data: bytes
    mode: int
    mtime: float


def read_source(path: Path) -> str:
    """Read a submitted file.

    Raises:
        NotFound: The file does not exist.
        BadInput: The path is a folder or a device, or the file cannot be read, is too long, or is
            not UTF-8 text.
    """
    return decode_text(path, read_content(path, max_bytes=MAX_SOURCE_BYTES).data)


def read_folder(path: Path) -> str:
    """Read the files of a package as one text.

    Raises:
        BadPackage: A file is not text, or there are too many files.
    """
    try:
        return bundle_folder(path)
    except BadBundle as error:
        raise BadPackage.of(path, error) from error


def decode_text(path: Path, data: bytes) -> str:
    """Decode the bytes of a file as UTF-8, without a byte order mark.

    Raises:
        BadInput: The bytes are not UTF-8 text.
    """
    try:
        source = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInput("app.source_no_text", path=path, line=line) from error
    if "\0" in source:
        line = source.count("\n", 0, source.index("\0")) + 1
        raise BadInput("app.source_has_nul", path=path, line=line)
    return source


def read_content(path: Path, *, max_bytes: int) -> FileContent:
    """Read a file of any kind.

    Raises:
        NotFound: The file does not exist.
        BadInput: The path is a folder or a device, or the file cannot be read or is too long.
    """
    try:
        # Not blocking: opening a named pipe would wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise BadInput("app.source_no_file", path=path)
            data = file.read(max_bytes + 1)
    except FileNotFoundError as error:
        raise NotFound("app.source_absent", path=path) from error
    except IsADirectoryError as error:
        raise BadInput("app.source_no_file", path=path) from error
    except (OSError, ValueError) as error:
        # ValueError: a path that contains NUL.
        reason = getattr(error, "strerror", None) or error
        raise BadInput("app.source_unreadable", path=path, reason=reason) from error
    if len(data) > max_bytes:
        raise BadInput("app.source_too_long", path=path, kib=max_bytes >> 10)
    return FileContent(data=data, mode=stat.S_IMODE(status.st_mode), mtime=status.st_mtime)
