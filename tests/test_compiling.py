import os
from pathlib import Path

import pytest

from tests.compiling import hash_of, keep_newest

pytestmark = pytest.mark.torch


def test_every_change_of_the_sources_is_another_folder(tmp_path: Path) -> None:
    hashes = {hash_of(str(tmp_path))}
    for name, text in (("a.cpp", "1"), ("a.cpp", "2"), ("b.h", ""), ("sub/c.py", "")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
        hashes.add(hash_of(str(tmp_path)))
    assert len(hashes) == 5
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__/c.pyc").touch()
    assert hash_of(str(tmp_path)) in hashes


def test_the_folders_that_were_used_last_stay(tmp_path: Path) -> None:
    for age, name in enumerate(("old", "older", "oldest")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "graph").touch()
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    keep_newest(tmp_path, 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old", "older"]
