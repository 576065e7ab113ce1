"""The host reads a problem once, and again as soon as one of its files changed."""

import shutil
from pathlib import Path

import pytest

from torchstone.bank.loader import CONTENT
from torchstone.core.errors import BrokenProblem, NotFound
from torchstone.core.patch import read_program
from torchstone.judge.host import problem_cache as catalogue
from torchstone.judge.host.problem_cache import ProblemCache

pytestmark = pytest.mark.pure

NAME = "04_linear_backward"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(CONTENT / "problems" / NAME, tmp_path / "problems" / NAME)
    return tmp_path


def test_a_problem_is_found_by_each_of_its_names(root: Path) -> None:
    cache = ProblemCache(root)
    entries = [cache.find(name) for name in ("04", "4", "linear_backward", NAME)]
    assert {entry.assignment.problem_id for entry in entries} == {"04"}
    assert entries[0].groups[0] == "sample"


def test_an_unchanged_problem_is_not_read_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = ProblemCache(root)
    first = cache.find("04")

    def refuse(root: Path) -> None:
        raise AssertionError("the bank was read again")

    monkeypatch.setattr(catalogue, "load_bank", refuse)
    assert cache.find("04") is first


@pytest.mark.parametrize("name", ["cases.py", "probe.py", "wrong/new.py"])
def test_a_changed_file_makes_a_new_assignment(root: Path, name: str) -> None:
    cache = ProblemCache(root)
    first = cache.find("04").assignment
    folder = root / "problems" / NAME
    source = name if (folder / name).exists() else f"wrong/{next(folder.glob('wrong/*.py')).name}"
    (folder / name).write_text(read_program(folder, source) + "\n# changed\n", "utf-8")
    assert cache.find("04").assignment.content_hash != first.content_hash


def test_a_problem_that_breaks_or_goes_is_no_longer_found(root: Path) -> None:
    cache = ProblemCache(root)
    cache.find("04")
    folder = root / "problems" / NAME
    (folder / "problem.toml").write_text("id = [", encoding="utf-8")
    with pytest.raises(BrokenProblem):
        cache.find("04")
    shutil.rmtree(folder)
    with pytest.raises(NotFound):
        cache.find("04")
