"""A migration is backed up, atomic, and leads to the same tables as a new database."""

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, inspect

from torchstone.core.errors import StoreError
from torchstone.store import Store, migration, migrations, open_store, opening, sqlite
from torchstone.store.migration import upgrade
from torchstone.store.schema import REVISION, REVISIONS, metadata

pytestmark = pytest.mark.pure

NEXT = "0010"
# A migration that fills a new column from the reports, as a later release may have one.
NEXT_MIGRATION = f"""
import json
import sqlalchemy as sa
from alembic import op
revision, down_revision = {NEXT!r}, {REVISION!r}
branch_labels = depends_on = None
def upgrade():
    op.add_column("submissions", sa.Column("is_fast", sa.Boolean))
    rows = op.get_bind().execute(sa.text("SELECT number, report FROM submissions")).all()
    for row in rows:
        values = {{"fast": json.loads(row.report)["time_ms"] < 5, "number": row.number}}
        change = "UPDATE submissions SET is_fast = :fast WHERE number = :number"
        op.get_bind().execute(sa.text(change), values)
"""
# A Torchstone with that migration; the arguments are its migrations and the database.
NEWER = f"""
import os, signal, sys
from pathlib import Path
from torchstone.store import migration, open_store, opening
migration.SCRIPTS = sys.argv[1]
migration.REVISION = opening.REVISION = {NEXT!r}
opening.REVISIONS = {(*REVISIONS, NEXT)!r}
"""
DIE_BEFORE_COMMIT = f"""{NEWER}
real = migration.upgrade
def upgrade(connection, revision):
    real(connection, revision)
    os.kill(os.getpid(), signal.SIGKILL)
migration.upgrade = upgrade
open_store(Path(sys.argv[2]))
"""
OPEN = f"""{NEWER}
sys.stdin.readline()
open_store(Path(sys.argv[2])).close()
"""


def connect(path: Path) -> Engine:
    path.parent.mkdir(exist_ok=True)
    return sqlite.connect_engine(path)


def migrate_to(path: Path, revision: str) -> None:
    engine = connect(path)
    with engine.execution_options(**sqlite.WRITE_LOCK).begin() as connection:
        upgrade(connection, revision)
    engine.dispose()


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    """The migrations of the package, and the next one."""
    copied = tmp_path / "migrations"
    shutil.copytree(Path(migrations.__file__).parent, copied)
    (copied / "versions" / f"r{NEXT}_next.py").write_text(NEXT_MIGRATION)
    return copied


@pytest.fixture
def newer(old: Path, scripts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give this program the next migration, after it has written the old database."""
    assert revision_of(old) == REVISION
    monkeypatch.setattr(migration, "SCRIPTS", str(scripts))
    monkeypatch.setattr(migration, "REVISION", NEXT)
    monkeypatch.setattr(opening, "REVISION", NEXT)
    monkeypatch.setattr(opening, "REVISIONS", (*REVISIONS, NEXT))


@pytest.fixture
def old(store: Store, path: Path, judge: Callable[..., str]) -> Path:
    """A database at the current revision, with two submissions in it."""
    judge(time_ms=12.5)
    judge(time_ms=1)
    store.close()
    return path


def revision_of(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return str(revision)


def describe(path: Path) -> dict[str, object]:
    engine = connect(path)
    inspector = inspect(engine)
    described: dict[str, object] = {}
    for table in inspector.get_table_names():
        columns = [(c["name"], str(c["type"]), c["nullable"]) for c in inspector.get_columns(table)]
        checks = [check["sqltext"] for check in inspector.get_check_constraints(table)]
        unique = [one["column_names"] for one in inspector.get_unique_constraints(table)]
        indexes = [(one["name"], one["column_names"]) for one in inspector.get_indexes(table)]
        key = inspector.get_pk_constraint(table)["constrained_columns"]
        described[table] = (columns, sorted(checks), sorted(unique), sorted(indexes), key)
    engine.dispose()
    return described


def test_the_migrations_are_the_known_revisions() -> None:
    known = ScriptDirectory(str(Path(migrations.__file__).parent))
    assert [script.revision for script in known.walk_revisions()][::-1] == list(REVISIONS)


def test_migrated_and_new_databases_have_the_same_tables(path: Path, tmp_path: Path) -> None:
    open_store(path).close()
    migrated = tmp_path / "migrated.db"
    migrate_to(migrated, REVISION)
    assert describe(migrated) == describe(path)
    engine = connect(migrated)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()


@pytest.mark.usefixtures("newer")
def test_an_old_database_is_migrated_after_a_backup(old: Path) -> None:
    with open_store(old) as store:
        assert len(store.submissions_of("01")) == 2
        assert store.find_damages() == []
    with closing(sqlite3.connect(old)) as connection:
        filled = connection.execute("SELECT is_fast FROM submissions ORDER BY number").fetchall()
    assert filled == [(0,), (1,)]
    (backup,) = sqlite.find_backups(old)
    assert backup.name.startswith(f"torchstone.db.bak-{REVISION}-")
    assert revision_of(old) == NEXT
    assert revision_of(backup) == REVISION
    with open_store(old):
        assert sqlite.find_backups(old) == [backup], "a current database is not backed up"


@pytest.mark.usefixtures("newer")
def test_a_backup_can_take_the_place_of_the_database(old: Path) -> None:
    open_store(old).close()
    (backup,) = sqlite.find_backups(old)
    backup.replace(old)
    with open_store(old) as store:
        assert len(store.submissions_of("01")) == 2


@pytest.mark.usefixtures("newer")
def test_a_crash_in_the_middle_leaves_the_old_database(old: Path, scripts: Path) -> None:
    command = [sys.executable, "-c", DIE_BEFORE_COMMIT, str(scripts), str(old)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert revision_of(old) == REVISION
    with open_store(old) as store:
        assert len(store.submissions_of("01")) == 2
    assert revision_of(old) == NEXT
    assert len(sqlite.find_backups(old)) == 2


@pytest.mark.usefixtures("newer")
def test_a_failing_migration_leaves_the_old_database(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute("UPDATE submissions SET report = 'broken' WHERE number = 2")
    before = describe(old)
    with pytest.raises(json.JSONDecodeError):
        open_store(old)
    assert revision_of(old) == REVISION
    assert describe(old) == before


@pytest.mark.parametrize("index", [None, "inputs_by_order"])
@pytest.mark.usefixtures("newer")
def test_a_damaged_database_is_not_migrated(old: Path, index: str | None) -> None:
    engine = connect(old)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        count = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        size = connection.exec_driver_sql("PRAGMA page_size").scalar_one()
        # The first pages are left, so that the revision can still be read; or a single page is
        # broken, one that no migration reads.
        pages = range(3, count)
        if index is not None:
            where = "SELECT rootpage - 1 FROM sqlite_schema WHERE name = ?"
            pages = connection.exec_driver_sql(where, (index,)).scalars().all()
    engine.dispose()
    with old.open("r+b") as file:
        for page in pages:
            file.seek(page * size)
            file.write(b"\xff" * 64)
    with pytest.raises(StoreError, match="damaged"):
        open_store(old)
    assert sqlite.find_backups(old) == []


def test_two_processes_migrate_once(old: Path, scripts: Path) -> None:
    command = [sys.executable, "-c", OPEN, str(scripts), str(old)]
    openers = [subprocess.Popen(command, stdin=subprocess.PIPE) for _ in range(3)]
    for opener in openers:
        assert opener.stdin is not None
        opener.stdin.write(b"go\n")
        opener.stdin.flush()
    assert [opener.communicate(timeout=60) and opener.returncode for opener in openers] == [0] * 3
    assert len(sqlite.find_backups(old)) == 1
    assert revision_of(old) == NEXT
