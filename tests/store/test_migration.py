"""A migration is backed up, atomic, and leads to the same tables as a new database."""

import json
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, inspect

from torchstone.core.errors import StoreError
from torchstone.core.verdict import Verdict
from torchstone.store import migrations, open_store, sqlite
from torchstone.store.migration import upgrade
from torchstone.store.schema import REVISION, REVISIONS, metadata

pytestmark = pytest.mark.pure

INSERT = (
    "INSERT INTO submissions (id, client_key, problem_id, kind, source, state, created_at,"
    " finished_at, verdict, report, receipt)"
    " VALUES (?, ?, '01', 'submit', 'x', 'done', ?, 0, ?, ?, '{}')"
)
REPORTS = [
    ("0" * 12, "AC", {"verdict": "AC", "time_ms": 12.5}),
    ("1" * 12, "AC", {"verdict": "AC", "time_ms": 7}),
    ("2" * 12, "IE", {"verdict": "IE", "time_ms": None}),
    ("3" * 12, "WA", {"verdict": "WA"}),
]
DIE_BEFORE_COMMIT = """
import os, signal, sys
from pathlib import Path
from torchstone.store import migration, open_store
real = migration.upgrade
def upgrade(connection, revision):
    real(connection, revision)
    os.kill(os.getpid(), signal.SIGKILL)
migration.upgrade = upgrade
open_store(Path(sys.argv[1]))
"""
OPEN = "import sys; from pathlib import Path; from torchstone.store import open_store;"
OPEN += "sys.stdin.readline(); open_store(Path(sys.argv[1])).close()"


def connect(path: Path) -> Engine:
    path.parent.mkdir(exist_ok=True)
    return sqlite.connect_engine(path)


def migrate_to(path: Path, revision: str) -> None:
    engine = connect(path)
    with engine.execution_options(**sqlite.WRITE_LOCK).begin() as connection:
        upgrade(connection, revision)
    engine.dispose()


@pytest.fixture
def old(path: Path) -> Path:
    """A database at the first revision, with submissions in it."""
    migrate_to(path, "0001")
    with closing(sqlite3.connect(path)) as connection, connection:
        for number, (added, verdict, report) in enumerate(REPORTS):
            connection.execute(INSERT, (added, added, number, verdict, json.dumps(report)))
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
    scripts = ScriptDirectory(str(Path(migrations.__file__).parent))
    assert [script.revision for script in scripts.walk_revisions()][::-1] == list(REVISIONS)


def test_migrated_and_new_databases_have_the_same_tables(path: Path, tmp_path: Path) -> None:
    open_store(path).close()
    migrated = tmp_path / "migrated.db"
    migrate_to(migrated, REVISION)
    assert describe(migrated) == describe(path)
    engine = connect(migrated)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()


def test_an_old_database_is_migrated_after_a_backup(old: Path) -> None:
    with open_store(old) as store:
        times = {one.id[0]: one.time_ms for one in store.submissions_of("01")}
        assert times == {"0": 12.5, "1": 7.0, "2": None, "3": None}
        assert store.progress("01").best_id == "1" * 12
        assert store.get_submission("3" * 12).verdict is Verdict.WA
    (backup,) = sqlite.find_backups(old)
    assert backup.name.startswith("torchstone.db.bak-0001-")
    assert revision_of(old) == REVISION
    assert revision_of(backup) == "0001"
    with open_store(old):
        assert sqlite.find_backups(old) == [backup], "a current database is not backed up"


def test_a_backup_can_take_the_place_of_the_database(old: Path) -> None:
    open_store(old).close()
    (backup,) = sqlite.find_backups(old)
    backup.replace(old)
    with open_store(old) as store:
        assert len(store.submissions_of("01")) == len(REPORTS)


def test_a_crash_in_the_middle_leaves_the_old_database(old: Path) -> None:
    died = subprocess.run([sys.executable, "-c", DIE_BEFORE_COMMIT, str(old)], check=False)
    assert died.returncode == -signal.SIGKILL
    assert revision_of(old) == "0001"
    with open_store(old) as store:
        assert len(store.submissions_of("01")) == len(REPORTS)
    assert revision_of(old) == REVISION
    assert len(sqlite.find_backups(old)) == 2


def test_a_failing_migration_leaves_the_old_database(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute("UPDATE submissions SET report = 'broken' WHERE id = ?", ("3" * 12,))
    before = describe(old)
    with pytest.raises(json.JSONDecodeError):
        open_store(old)
    assert revision_of(old) == "0001"
    assert describe(old) == before


def test_a_damaged_database_is_not_migrated(old: Path) -> None:
    engine = connect(old)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        size = connection.exec_driver_sql("PRAGMA page_size").scalar_one()
    engine.dispose()
    with old.open("r+b") as file:
        # The first pages are left, so that the revision can still be read.
        for page in range(3, pages):
            file.seek(page * size)
            file.write(b"\xff" * 64)
    with pytest.raises(StoreError, match="damaged"):
        open_store(old)
    assert sqlite.find_backups(old) == []


def test_two_processes_migrate_once(old: Path) -> None:
    openers = [
        subprocess.Popen([sys.executable, "-c", OPEN, str(old)], stdin=subprocess.PIPE)
        for _ in range(3)
    ]
    for opener in openers:
        assert opener.stdin is not None
        opener.stdin.write(b"go\n")
        opener.stdin.flush()
    assert [opener.communicate(timeout=60) and opener.returncode for opener in openers] == [0] * 3
    assert len(sqlite.find_backups(old)) == 1
    assert revision_of(old) == REVISION
