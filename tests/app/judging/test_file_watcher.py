import os
from pathlib import Path

import pytest

from torchstone.app.judging.file_watcher import stamp, wait_for_save

pytestmark = pytest.mark.pure


def test_a_save_is_seen_when_the_file_stands_still(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("one")
    seen = stamp(file)
    acts = iter(
        [
            lambda: None,
            lambda: file.unlink(),
            lambda: file.write_text("half"),
            lambda: file.write_text("whole file"),
            lambda: None,
        ]
    )
    found = wait_for_save(file, seen, sleep=lambda seconds: next(acts)())
    assert found == stamp(file)
    assert file.read_text() == "whole file"
    assert list(acts) == []


def test_a_file_that_is_replaced_with_the_same_size_is_a_save(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("one")
    seen = stamp(file)
    (tmp_path / "b.py").write_text("two")
    os.replace(tmp_path / "b.py", file)
    assert wait_for_save(file, seen, sleep=lambda seconds: None) != seen
