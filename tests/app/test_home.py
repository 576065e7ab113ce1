import threading
from pathlib import Path

import pytest

from torchstone.app.home import Home
from torchstone.app.problems.workspace import start
from torchstone.app.review.overview import look_over

pytestmark = pytest.mark.pure


def test_a_kept_store_is_the_same_for_every_call_until_the_end(home: Home, tmp_path: Path) -> None:
    with home.keep_store() as kept:
        with kept.open_store() as one, kept.open_store() as other:
            assert one is other
        start(kept, "01")
        # The blocks are over, and it is still open: SQLite removes its log with the last user.
        assert (tmp_path / "data/torchstone.db-wal").exists()
        with kept.open_store() as again:
            assert again is one
            assert again.progress("01").started_at is not None
        with home.open_store() as its_own:
            assert its_own is not one
    assert kept == home
    assert (kept.bank_root, kept.settings) == (home.bank_root, home.settings)


def test_a_failure_closes_the_kept_store(home: Home, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), home.keep_store():
        raise RuntimeError
    # SQLite removes these when the last connection is closed.
    assert [each.name for each in (tmp_path / "data").iterdir()] == ["torchstone.db"]


def test_threads_share_a_kept_store(home: Home) -> None:
    found: list[int] = []

    def work(number: int) -> None:
        with kept.open_store() as store:
            store.add_submission("01", "pass", client_key=f"key {number}")
        found.append(look_over(kept).num_submissions)

    with home.keep_store() as kept:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(30)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(found) == 30
    assert max(found) == 30
