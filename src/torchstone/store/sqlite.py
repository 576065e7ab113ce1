"""SQLite specifics: pragmas, locks, backups and error codes.

Another database engine needs another file like this one; the queries are portable.
"""

import errno
import glob
import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.pool import ConnectionPoolEntry

from torchstone.core.errors import StoreError

# A writer holds the lock for milliseconds; a longer wait means a fault.
BUSY_TIMEOUT_S = 10.0
WRITE_LOCK = {"torchstone_write_lock": True}

_PRIVATE = 0o600
_BACKUP_MARK = ".bak-"
_CODES = {
    sqlite3.SQLITE_FULL: "store.disk_full",
    # A file-size limit and a failing disk both raise an I/O error.
    sqlite3.SQLITE_IOERR: "store.disk_full",
    sqlite3.SQLITE_BUSY: "store.busy",
    sqlite3.SQLITE_READONLY: "store.unreadable",
    sqlite3.SQLITE_CANTOPEN: "store.unreadable",
    sqlite3.SQLITE_PERM: "store.unreadable",
    sqlite3.SQLITE_AUTH: "store.unreadable",
}
_CORRUPT_CODES = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def connect_engine(path: Path) -> Engine:
    """Create the engine of one database file, and the file if it does not exist."""
    # sqlite3 would make the file readable for all users.
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, _PRIVATE))
    except OSError as error:
        raise StoreError("store.unreadable", path=path, reason=error.strerror) from error
    engine = create_engine(
        # Not as text: a file name may contain a question mark.
        URL.create("sqlite", database=str(path)),
        # None: `_begin` begins the transactions, not pysqlite.
        connect_args={"timeout": BUSY_TIMEOUT_S, "isolation_level": None},
    )
    event.listen(engine, "connect", _configure)
    event.listen(engine, "begin", _begin)
    return engine


def _configure(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    # A text with a flipped bit may be no UTF-8. It is read nevertheless; its hash differs.
    connection.text_factory = _read_text
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        logging.getLogger(__name__).warning("The database cannot use WAL here; it uses %s.", mode)
    # FULL: a commit is on the disk before it returns, also in WAL mode.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _read_text(stored: bytes) -> str:
    return stored.decode("utf-8", "surrogateescape")


def _begin(connection: Connection) -> None:
    # A transaction that reads and then writes must take the write lock first. SQLite refuses to
    # upgrade a read lock at once if another process has written since, whatever the busy timeout.
    wants_lock = connection.get_execution_options().get("torchstone_write_lock", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if wants_lock else "BEGIN")


def require_intact(connection: Connection, path: Path) -> None:
    """Check every page of the database.

    Raises:
        StoreError: A page is broken.
    """
    (answer,) = connection.exec_driver_sql("PRAGMA quick_check(1)").one()
    if answer != "ok":
        raise _corrupt(path, reason=answer)


def back_up(path: Path, *, revision: str, now: datetime) -> Path:
    """Copy the last committed state of the database to a backup file in the same folder.

    The caller holds the write lock. The copy gets its name when it is complete and on the disk.
    """
    stamp = now.strftime("%Y%m%dT%H%M%S%f")
    target = path.with_name(f"{path.name}{_BACKUP_MARK}{revision}-{stamp}")
    # One fixed name: the next backup overwrites the rest of a crashed one.
    partial = path.with_name(f"{path.name}.partial")
    partial.unlink(missing_ok=True)
    try:
        os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_RDWR, _PRIVATE))
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(partial)) as copy:
            source.backup(copy)
        _sync(partial)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    _sync(target.parent)
    return target


def find_backups(path: Path) -> list[Path]:
    """List the backups of a database, newest first."""
    found = path.parent.glob(f"{glob.escape(path.name)}{_BACKUP_MARK}*")
    return sorted(found, key=lambda backup: backup.name.rpartition("-")[2], reverse=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Convert an error of SQLite or the disk to a StoreError with a hint.

    The error of a violated constraint passes unchanged: the query handles it.
    """
    try:
        yield
    except IntegrityError:
        raise
    except DBAPIError as error:
        raise _explain(error.orig, path) from error
    except sqlite3.Error as error:
        raise _explain(error, path) from error
    except OSError as error:
        is_full = error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
        code = "store.disk_full" if is_full else "store.failed"
        raise StoreError(code, path=path, reason=error.strerror) from error


def _explain(error: BaseException | None, path: Path) -> StoreError:
    # The low byte is the primary code; the other bytes specify it.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _CORRUPT_CODES:
        return _corrupt(path, reason=str(error))
    return StoreError(_CODES.get(code, "store.failed"), path=path, reason=str(error))


def _corrupt(path: Path, *, reason: str) -> StoreError:
    backups = find_backups(path)
    if backups:
        return StoreError("store.corrupt", path=path, reason=reason, backup=backups[0])
    return StoreError("store.corrupt_without_backup", path=path, reason=reason)
