"""Carry progress to another machine: one file out, one file in."""

import os
import tempfile
from pathlib import Path

from torchstone.app.home import Home
from torchstone.core.errors import BadInput, NotFound
from torchstone.store import ImportSummary

# A thousand submissions of ten KiB each are ten MiB.
MAX_IMPORT_BYTES = 256 << 20


def export_progress(home: Home, path: Path, *, replace: bool = False) -> int:
    """Write all progress to a file, and return its size in bytes.

    Raises:
        BadInput: The file exists and is not to be replaced, or cannot be written.
    """
    with home.open_store() as store:
        document = store.export_progress()
    write_new(path, document, replace=replace)
    return len(document)


def import_progress(home: Home, path: Path) -> ImportSummary:
    """Merge a file of exported progress into what is here.

    Raises:
        NotFound: There is no such file.
        BadInput: It is no exported progress, or contradicts what is here.
    """
    with home.open_store() as store:
        return store.import_progress(read_document(path))


def read_document(path: Path) -> bytes:
    """Read a file that another machine may have written.

    Raises:
        NotFound: There is no such file.
        BadInput: It cannot be read, or is far too large.
    """
    try:
        if path.stat().st_size > MAX_IMPORT_BYTES:
            raise BadInput("app.document_too_large", path=path, mib=MAX_IMPORT_BYTES >> 20)
        return path.read_bytes()
    except FileNotFoundError as error:
        raise NotFound("app.source_absent", path=path) from error
    except OSError as error:
        raise BadInput("app.source_unreadable", path=path, reason=error.strerror) from error


def write_new(path: Path, content: bytes, *, replace: bool = False) -> None:
    """Write a whole file or none: under another name first, then put in place.

    Raises:
        BadInput: The file exists and is not to be replaced, or cannot be written.
    """
    if path.exists() and not replace:
        raise BadInput("app.file_exists", path=path)
    try:
        with tempfile.NamedTemporaryFile(
            dir=path.parent, prefix=".torchstone-", delete=False
        ) as file:
            try:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
                os.replace(file.name, path)
            except BaseException:
                os.unlink(file.name)
                raise
    except OSError as error:
        raise BadInput("app.file_unwritable", path=path, reason=error.strerror) from error
