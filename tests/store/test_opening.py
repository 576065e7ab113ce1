"""Opening makes, recognises or refuses a database."""

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from torchstone.core.errors import StoreError
from torchstone.core.i18n import LANGS
from torchstone.store import Store, open_store
from torchstone.store.schema import REVISION, REVISIONS

pytestmark = pytest.mark.pure

IS_ROOT = os.geteuid() == 0


def test_a_new_database_is_private_and_durable(store: Store, path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    with store._reading() as connection:
        settings = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    full = 2
    assert settings == {
        "journal_mode": "wal",
        "synchronous": full,
        "foreign_keys": 1,
        "busy_timeout": 10_000,
    }


def test_the_default_is_the_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TORCHSTONE_DATA", str(tmp_path / "mine"))
    open_store().close()
    assert (tmp_path / "mine" / "torchstone.db").is_file()


@pytest.mark.parametrize("name", ["space and % and ?.db", "试金石.db", "a#b.db"])
def test_any_file_name_will_do(tmp_path: Path, name: str) -> None:
    with open_store(tmp_path / name) as store:
        added = store.add_submission("01", "", client_key="k")
    with open_store(tmp_path / name) as store:
        assert store.get_submission(added).problem_id == "01"
    assert (tmp_path / name).read_bytes().startswith(b"SQLite format 3")


@pytest.mark.parametrize(
    ("revision", "code", "known"),
    [("9999", "store.newer", REVISION), ("0001", "store.older", REVISIONS[0])],
)
def test_a_database_of_an_unknown_revision_is_refused_unchanged(
    path: Path, revision: str, code: str, known: str
) -> None:
    open_store(path).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
    before = path.read_bytes()
    with pytest.raises(StoreError) as caught:
        open_store(path)
    assert caught.value.code == code
    for lang in LANGS:
        assert revision in caught.value.message(lang)
        assert known in caught.value.message(lang)
    assert path.read_bytes() == before


def test_a_database_of_somebody_else_is_refused(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")
    with pytest.raises(StoreError) as caught:
        open_store(path)
    assert caught.value.code == "store.foreign"


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError) as caught:
        open_store(tmp_path / "file" / "torchstone.db")
    assert caught.value.code == "store.unreadable"


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as caught:
        open_store(tmp_path)
    assert caught.value.code == "store.unreadable"


def test_the_revisions_are_in_order() -> None:
    assert sorted(set(REVISIONS)) == list(REVISIONS)


def test_opening_a_current_database_imports_neither_alembic_nor_torch(path: Path) -> None:
    open_store(path).close()
    script = (
        "import sys; from pathlib import Path; from torchstone.store import open_store;"
        "open_store(Path(sys.argv[1])).close();"
        "print(sorted({'alembic', 'torch', 'numpy', 'sqlalchemy.orm'} & sys.modules.keys()))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "[]"
