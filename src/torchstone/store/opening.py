"""Open the store: create or migrate the database, or reject it."""

from pathlib import Path

from sqlalchemy import Connection, Engine, insert, inspect, select

from torchstone.core.errors import StoreError
from torchstone.core.paths import data_dir
from torchstone.store import sqlite
from torchstone.store.schema import REVISION, REVISIONS, metadata, revisions
from torchstone.store.section import Clock, utc_now
from torchstone.store.store import Store

DATABASE_NAME = "torchstone.db"


def open_store(path: Path | None = None, *, clock: Clock = utc_now) -> Store:
    """Open the database; create or migrate it first if necessary.

    A migration first copies the old database to ``torchstone.db.bak-<revision>-<time>`` in the same
    folder.

    Args:
        path: The database file; ``torchstone.db`` in the data folder when not given.
        clock: Function that returns the current time.

    Raises:
        StoreError: The database has a revision that this program does not know, is broken, or
            cannot be opened.
    """
    chosen = path if path is not None else data_dir() / DATABASE_NAME
    try:
        chosen.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError("store.unreadable", path=chosen, reason=error.strerror) from error
    engine = sqlite.connect_engine(chosen)
    try:
        with sqlite.explained(chosen):
            _bring_to_date(engine, chosen, clock)
    except BaseException:
        engine.dispose()
        raise
    return Store(engine, chosen, clock=clock)


def read_revision(connection: Connection, path: Path) -> str | None:
    """Read the revision of a database; None if it is empty.

    Raises:
        StoreError: The database does not belong to Torchstone, or this program does not know its
            revision.
    """
    tables = inspect(connection).get_table_names()
    if not tables:
        return None
    if revisions.name not in tables:
        raise StoreError("store.foreign", path=path)
    revision: str | None = connection.scalar(select(revisions.c.version_num))
    if revision is not None and revision < REVISIONS[0]:
        raise StoreError("store.older", path=path, found=revision, known=REVISIONS[0])
    if revision not in REVISIONS:
        raise StoreError("store.newer", path=path, found=revision, known=REVISION)
    return revision


def _bring_to_date(engine: Engine, path: Path, clock: Clock) -> None:
    with engine.begin() as connection:
        revision = read_revision(connection, path)
    if revision == REVISION:
        return
    # Check again under the lock: another process may have migrated the database.
    with engine.execution_options(**sqlite.WRITE_LOCK).begin() as connection:
        revision = read_revision(connection, path)
        if revision is None:
            metadata.create_all(connection, checkfirst=False)
            revisions.create(connection)
            connection.execute(insert(revisions).values(version_num=REVISION))
        elif revision != REVISION:
            # Alembic takes a quarter of a second to import; most calls do not need it.
            from torchstone.store.migration import migrate

            migrate(connection, path, revision=revision, now=clock())
