"""A full disk, a damaged file and a lock are explained, and lose nothing that was confirmed."""

import errno
import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from torchstone.core.errors import StoreError
from torchstone.core.i18n import LANGS
from torchstone.store import Store, open_store, sqlite

pytestmark = pytest.mark.pure

FILL = """
import resource, sys
from pathlib import Path
from torchstone.core.errors import StoreError
from torchstone.store import open_store
store = open_store(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
try:
    for number in range(1000):
        print(store.add_submission("01", "x" * 3000, client_key=f"key {number}"), flush=True)
except StoreError as error:
    print(error.code, flush=True)
"""


def test_a_full_disk_loses_nothing_confirmed(path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", FILL, str(path)], capture_output=True, text=True, check=True
    )
    *confirmed, code = ran.stdout.split()
    assert code == "store.disk_full"
    assert len(confirmed) > 10
    with open_store(path) as store:
        stored = {one.id for one in store.submissions_of("01", limit=2000)}
        assert stored == set(confirmed)
        store.add_submission("01", "x", client_key="there is room again")


def test_a_database_at_its_limit_is_a_full_disk(path: Path) -> None:
    open_store(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA max_page_count = 1")
        with pytest.raises(StoreError) as caught, sqlite.explained(path):
            connection.executemany(
                "INSERT INTO activities (problem_id, kind, rung, happened_at)"
                " VALUES (?, 'start', 0, ?)",
                [("x" * 60, number) for number in range(1000)],
            )
    assert caught.value.code == "store.disk_full"
    for lang in LANGS:
        assert str(path) in caught.value.message(lang)
        assert caught.value.hint(lang)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EFBIG, errno.EDQUOT])
def test_a_disk_that_fills_during_a_backup_is_a_full_disk(path: Path, number: int) -> None:
    with pytest.raises(StoreError) as caught, sqlite.explained(path):
        raise OSError(number, os.strerror(number))
    assert caught.value.code == "store.disk_full"


def test_a_lock_that_stays_is_explained(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store._reading() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 20")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError) as caught:
            store.add_submission("01", "", client_key="k")
    assert caught.value.code == "store.busy"
    store.add_submission("01", "", client_key="k")


def test_reading_does_not_wait_for_a_writer(store: Store, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert store.submissions_of("01") == []


def test_a_file_that_is_no_database_is_refused_unchanged(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not a database " * 300)
    with pytest.raises(StoreError) as caught:
        open_store(path)
    assert caught.value.code == "store.corrupt_without_backup"
    assert path.read_bytes() == b"not a database " * 300


def test_a_damaged_file_names_the_newest_backup(path: Path) -> None:
    open_store(path).close()
    older = sqlite.back_up(path, revision="0002", now=datetime(2026, 1, 1, tzinfo=UTC))
    newer = sqlite.back_up(path, revision="0001", now=datetime(2026, 2, 1, tzinfo=UTC))
    assert sqlite.find_backups(path) == [newer, older]
    path.write_bytes(b"not a database " * 300)
    with pytest.raises(StoreError) as caught:
        open_store(path)
    assert caught.value.code == "store.corrupt"
    for lang in LANGS:
        assert str(newer) in caught.value.hint(lang)


def test_an_unfinished_backup_is_no_backup(path: Path) -> None:
    open_store(path).close()
    path.with_name(f"{path.name}.partial").write_bytes(b"left by a crash")
    assert sqlite.find_backups(path) == []
    backup = sqlite.back_up(path, revision="0001", now=datetime(2026, 1, 1, tzinfo=UTC))
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert sorted(path.parent.iterdir()) == [path, backup]


def test_a_backup_that_fails_leaves_nothing_behind(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not a database " * 300)
    with pytest.raises(sqlite3.DatabaseError):
        sqlite.back_up(path, revision="0001", now=datetime(2026, 1, 1, tzinfo=UTC))
    assert list(path.parent.iterdir()) == [path]


def test_what_sqlite_says_besides_is_passed_on(path: Path) -> None:
    with pytest.raises(StoreError) as caught, sqlite.explained(path):
        raise OperationalError("SELECT", {}, sqlite3.OperationalError("something new"))
    assert caught.value.code == "store.failed"
    assert "something new" in str(caught.value)
