"""Database migration to the current revision; the only module that imports Alembic."""

from datetime import datetime
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

from torchstone.store import sqlite
from torchstone.store.schema import REVISION

SCRIPTS = "torchstone.store:migrations"


def migrate(connection: Connection, path: Path, *, revision: str, now: datetime) -> Path:
    """Back up a database and migrate it inside the caller's transaction.

    The caller holds the write lock, so the backup is exactly the state before the migration. Until
    the caller commits, a crash leaves the database unchanged.

    Returns:
        The path of the backup.

    Raises:
        StoreError: The database is broken; it is neither copied nor changed.
    """
    sqlite.require_intact(connection, path)
    backup = sqlite.back_up(path, revision=revision, now=now)
    upgrade(connection, REVISION)
    return backup


def upgrade(connection: Connection, revision: str) -> None:
    """Run the migrations up to a revision in the transaction of the connection."""
    config = Config()
    config.set_main_option("script_location", SCRIPTS)
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
