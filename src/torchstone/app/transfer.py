"""Export and import of progress as one file."""

from pathlib import Path

from torchstone.app.home import Home
from torchstone.app.problems.files import staged
from torchstone.core.errors import BadInput, NotFound
from torchstone.store import ImportSummary

# A thousand submissions of ten KiB each are ten MiB.
MAX_IMPORT_BYTES = 256 << 20
# Submissions are private: only the owner may read the file, in any folder.
_PRIVATE = 0o600


def export_document(home: Home) -> bytes:
    """Write all progress as one JSON document."""
    with home.open_store() as store:
        return store.export_progress()


def import_document(home: Home, document: bytes) -> ImportSummary:
    """Merge a document of exported progress into the local progress.

    Raises:
        BadInput: The document is not exported progress, is too large, or contradicts local data.
    """
    if len(document) > MAX_IMPORT_BYTES:
        raise BadInput("app.progress_too_large", mib=MAX_IMPORT_BYTES >> 20)
    with home.open_store() as store:
        return store.import_progress(document)


def export_progress(home: Home, path: Path, *, replace: bool = False) -> int:
    """Write all progress to a file and return its size in bytes.

    Raises:
        BadInput: The file exists and ``replace`` is False, or it cannot be written.
    """
    document = export_document(home)
    write_new(path, document, replace=replace)
    return len(document)


def import_progress(home: Home, path: Path) -> ImportSummary:
    """Merge a file of exported progress into the local progress.

    Raises:
        NotFound: The file does not exist.
        BadInput: The file is not exported progress, or contradicts local data.
    """
    return import_document(home, read_document(path))


def read_document(path: Path) -> bytes:
    """Read a file that may come from another machine.

    Raises:
        NotFound: The file does not exist.
        BadInput: The file cannot be read, or is too large.
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
    """Write a file atomically, readable only by its owner.

    Raises:
        BadInput: The file exists and ``replace`` is False, or it cannot be written.
    """
    if path.exists() and not replace:
        raise BadInput("app.file_exists", path=path)
    with staged(path, content, mode=_PRIVATE):
        pass
