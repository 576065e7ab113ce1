from pathlib import Path

import pytest

from torchstone.bank import check_parity, load_problem
from torchstone.bank.scaffold import MARKS, scaffold_problem, unwritten_files
from torchstone.core.errors import BadInput

pytestmark = pytest.mark.pure


def test_a_begun_problem_loads_and_every_file_of_it_is_marked(tmp_path: Path) -> None:
    folder = scaffold_problem(tmp_path, "7", "gelu", title_en="GELU", title_zh="手写 GELU")
    problem = load_problem(folder)
    assert (problem.id, problem.slug, problem.title.zh) == ("07", "gelu", "手写 GELU")
    assert [mismatch for mismatch in check_parity(problem)] == []
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert unwritten_files(folder) == tuple(
        sorted(path.relative_to(folder).as_posix() for path in files)
    )
    for path in files:
        if path.suffix == ".py":
            compile(path.read_text(encoding="utf-8"), str(path), "exec")


def test_a_file_without_a_mark_is_written(tmp_path: Path) -> None:
    folder = scaffold_problem(tmp_path, "07", "gelu")
    for path in (folder / name for name in unwritten_files(folder)):
        content = path.read_text(encoding="utf-8")
        for mark in MARKS:
            content = content.replace(mark, "")
        path.write_text(content, encoding="utf-8")
    assert unwritten_files(folder) == ()


@pytest.mark.parametrize(
    ("number", "slug"),
    [("100", "a"), ("", "a"), ("1x", "a"), ("07", ""), ("07", "A"), ("07", "a-b"), ("07", "../a")],
)
def test_a_name_that_cannot_be_one_is_refused(tmp_path: Path, number: str, slug: str) -> None:
    with pytest.raises(BadInput) as caught:
        scaffold_problem(tmp_path, number, slug)
    assert caught.value.code == "bank.name_unusable"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("number", "slug"), [("07", "relu"), ("08", "gelu")])
def test_a_number_or_a_name_that_is_taken_is_refused(
    tmp_path: Path, number: str, slug: str
) -> None:
    folder = scaffold_problem(tmp_path, "07", "gelu")
    # A broken folder holds its number and its name just the same.
    (folder / "problem.toml").write_text("broken", encoding="utf-8")
    with pytest.raises(BadInput, match="07_gelu exists"):
        scaffold_problem(tmp_path, number, slug)


@pytest.mark.parametrize("title", ['a"b', "a\\b", "a\nb"])
def test_a_title_that_would_break_the_file_is_refused(tmp_path: Path, title: str) -> None:
    with pytest.raises(BadInput, match="cannot be used"):
        scaffold_problem(tmp_path, "07", "gelu", title_en=title)
