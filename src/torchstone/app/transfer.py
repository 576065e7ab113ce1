"""Export and import of progress as one file."""

from dataclasses import dataclass
from pathlib import Path

from torchstone.app.home import Home
from torchstone.app.problems.files import staged
from torchstone.core.errors import BadInput, NotFound
from torchstone.store import Export, ImportSummary, LeftOut

# A thousand submissions of ten KiB each are ten MiB.
MAX_IMPORT_BYTES = 256 << 20
# Submissions are private: only the owner may read the file, in any folder.
_PRIVATE = 0o600


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What an export wrote: the size of the file, and the damaged rows that it lacks."""

    num_bytes: int
    left_out: LeftOut


def export_document(home: Home) -> Export:
    """Write all progress as one JSON document; count the damaged rows that it lacks."""
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


def export_progress(home: Home, path: Path, *, replace: bool = False) -> Exported:
    """Write all progress to a file.

    Raises:
        BadInput: The file exists and ``replace`` is False, or it cannot be written.
    """
    export = export_document(home)
    write_new(path, export.document, replace=replace)
    return Exported(num_bytes=len(export.document), left_out=export.left_out)


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
