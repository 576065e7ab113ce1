"""A solution is formatted in the terminal."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from torchstone.app.judging import formatting

pytestmark = pytest.mark.pure

UNTIDY, TIDY = "x  =  {'a':1}\n", 'x = {"a": 1}\n'


@pytest.fixture
def clang_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a program in the place of clang-format that removes double spaces."""
    tool = tmp_path / "clang-format"
    tool.write_text("#!/bin/sh\nexec /bin/sed 's/  */ /g'\n")
    tool.chmod(0o700)
    found = formatting.find_tool
    monkeypatch.setattr(
        formatting, "find_tool", lambda name: str(tool) if name == tool.name else found(name)
    )


@pytest.mark.usefixtures("alone")
def test_the_file_of_a_problem_is_printed_checked_and_written(run: Run) -> None:
    assert run("format", "01").code == 2, "there is no file yet"
    path = Path(run("start", "01", "--json").json["path"])
    path.write_text(UNTIDY)
    assert (run("format", "01").out, path.read_text()) == (TIDY, UNTIDY)
    checked = run("format", "softmax", "--check")
    assert (checked.code, checked.out) == (1, f"Not formatted: {path}\n")
    assert path.read_text() == UNTIDY
    answer = run("format", "01", "--write", "--json").json
    assert (answer["is_changed"], answer["is_written"], answer["text"]) == (True, True, TIDY)
    assert path.read_text() == TIDY
    again = run("format", "01", "--check", "--lang", "zh")
    assert (again.code, again.out) == (0, f"本来就已格式化：{path}\n")
    assert run("format", "01", "--write").out == f"Already formatted: {path}\n"
    assert run("format", "01", "--write", "--check").code == 2


@pytest.mark.usefixtures("alone", "clang_format")
@pytest.mark.parametrize(
    ("name", "before", "after"),
    [("a.py", UNTIDY, TIDY), ("a.cu", "int  x;\n", "int x;\n"), ("a.HPP", "int  x;\n", "int x;\n")],
)
def test_a_file_of_either_language_keeps_its_rights_and_its_link(
    run: Run, tmp_path: Path, name: str, before: str, after: str
) -> None:
    target, link = tmp_path / name, tmp_path / f"link{Path(name).suffix}"
    target.write_text(before)
    target.chmod(0o640)
    link.symlink_to(target)
    assert run("format", target).out == after
    assert run("format", link, "--write").code == 0
    assert target.read_text() == after
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640


@pytest.mark.usefixtures("alone")
def test_what_cannot_be_formatted_stays_and_says_why(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("def f(:\n")
    refused = run("format", broken, "--write")
    assert (refused.code, refused.out, broken.read_text()) == (1, "", "def f(:\n")
    assert refused.err.startswith("The text is unchanged")
    for absent in (tmp_path / "absent.py", "99", tmp_path / "notes.txt"):
        assert run("format", absent).code == 2
    run("start", "50")
    assert "only one file of Python, C++ or CUDA" in run("format", "50").err
    monkeypatch.setattr(formatting, "find_tool", lambda name: None)
    for name, tool in (("a.py", "pip install ruff"), ("a.cpp", "apt install clang-format")):
        (tmp_path / name).write_text("")
        for lang in ("en", "zh"):
            missing = run("format", tmp_path / name, "--lang", lang)
            assert (missing.code, missing.err.count("\n")) == (1, 1)
            assert tool in missing.err
