"""The lock of a data folder says where its holder listens, and only while it is held."""

import os
from pathlib import Path

import pytest

from torchstone.judge.host.lock import LOCK_NAME, hold_lock, is_held, read_address, write_address

pytestmark = pytest.mark.pure


def test_a_folder_without_a_lock_is_free(tmp_path: Path) -> None:
    assert not is_held(tmp_path)
    assert read_address(tmp_path) is None


def test_one_holder_keeps_others_out(tmp_path: Path) -> None:
    with hold_lock(tmp_path) as first, hold_lock(tmp_path) as second:
        assert first is not None
        assert second is None
        assert is_held(tmp_path)
    assert not is_held(tmp_path)
    with hold_lock(tmp_path) as next_one:
        assert next_one is not None


def test_the_address_is_written_whole_and_wiped_whole(tmp_path: Path) -> None:
    with hold_lock(tmp_path) as lock:
        assert lock is not None
        write_address(lock, Path("/run/a long folder/host.sock"))
        write_address(lock, Path("/run/b"))
        assert read_address(tmp_path) == Path("/run/b")
        write_address(lock, None)
        assert read_address(tmp_path) is None


def test_a_new_holder_forgets_where_a_dead_one_listened(tmp_path: Path) -> None:
    with hold_lock(tmp_path) as lock:
        assert lock is not None
        write_address(lock, Path("/run/dead"))
    assert read_address(tmp_path) == Path("/run/dead")
    with hold_lock(tmp_path):
        assert read_address(tmp_path) is None


def test_being_refused_leaves_the_address_alone(tmp_path: Path) -> None:
    with hold_lock(tmp_path) as lock:
        assert lock is not None
        write_address(lock, Path("/run/alive"))
        with hold_lock(tmp_path):
            assert read_address(tmp_path) == Path("/run/alive")


def test_only_the_owner_may_read_it(tmp_path: Path) -> None:
    with hold_lock(tmp_path):
        assert os.stat(tmp_path / LOCK_NAME).st_mode & 0o777 == 0o600
