"""Database migration to the current revision; the only module that imports Alembic."""

from datetime import datetime
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

from torchstone.store import sqlite
from torchstone.store.schema import REVISION


def migrate(connection: Connection, path: Path, *, revision: str, now: datetime) -> Path:
    """Back a database up and migrate it inside the caller's transaction.

    The caller holds the write lock, so the copy is exactly what is migrated; until the caller
    commits, a crash leaves the old database as it was.

    Returns:
        The backup.

    Raises:
        StoreError: The database is broken; a broken one is neither copied nor changed.
    """
    sqlite.require_intact(connection, path)
    backup = sqlite.back_up(path, revision=revision, now=now)
    upgrade(connection, REVISION)
    return backup


def upgrade(connection: Connection, revision: str) -> None:
    """Run the migrations up to a revision in the connection's transaction."""
    config = Config()
    config.set_main_option("script_location", "torchstone.store:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
