from pathlib import Path

import pytest

from tools import sizes

pytestmark = pytest.mark.pure


def function(num_lines: int, *, docstring_lines: int = 0) -> str:
    docstring = '    """' + "\n    doc" * (docstring_lines - 1) + '"""\n' if docstring_lines else ""
    return "def f():\n" + docstring + "    x = 1\n" * (num_lines - 1)


@pytest.mark.parametrize("prefix", ["", "async "])
def test_a_function_is_too_long_from_one_line_past_the_limit(prefix: str) -> None:
    assert sizes.oversized("a.py", prefix + function(sizes.MAX_FUNCTION_LINES)) == []
    (finding,) = sizes.oversized("a.py", prefix + function(sizes.MAX_FUNCTION_LINES + 1))
    assert finding.startswith("a.py:1: f has 61 lines")


def test_a_docstring_does_not_count() -> None:
    source = function(sizes.MAX_FUNCTION_LINES, docstring_lines=30)
    assert sizes.oversized("a.py", source) == []


def test_a_method_counts_like_a_function() -> None:
    body = function(sizes.MAX_FUNCTION_LINES + 1).replace("\n", "\n    ")
    assert len(sizes.oversized("a.py", f"class A:\n    {body}")) == 1


def test_a_file_is_too_long_from_one_line_past_the_limit() -> None:
    assert sizes.oversized("a.py", "x = 1\n" * sizes.MAX_FILE_LINES) == []
    assert len(sizes.oversized("a.py", "x = 1\n" * (sizes.MAX_FILE_LINES + 1))) == 1


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("src/torchstone/core", "src/torchstone/content/problems/01_x", "tests/core"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "long.py").write_text("x = 1\n" * 500)
    return tmp_path


def test_content_is_exempt_and_tests_are_not(tree: Path) -> None:
    names = [finding.partition(":")[0] for finding in sizes.check(tree)]
    assert names == ["src/torchstone/core/long.py", "tests/core/long.py"]


def test_an_exemption_holds_while_it_is_needed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exempt = {"tests/core/long.py": "a table", "tests/core/short.py": "was long once"}
    monkeypatch.setattr(sizes, "EXEMPT", exempt)
    findings = sizes.check(tree)
    assert [finding.partition(":")[0] for finding in findings] == [
        "src/torchstone/core/long.py",
        "tests/core/short.py",
    ]


def test_a_sub_package_is_weighed_against_its_budget(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sizes.weigh(tree) == {"core": 500}
    monkeypatch.setattr(sizes, "BUDGETS", {"core": 500})
    assert sizes.over_budget({"core": 500}) == []
    assert len(sizes.over_budget({"core": 501})) == 1
    assert len(sizes.over_budget({"newcomer": 1})) == 1


def test_the_program_fails_when_there_is_a_finding(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["sizes.py", str(tree)])
    assert sizes.main() == 1
    assert "500 lines" in capsys.readouterr().err
    for path in tree.rglob("long.py"):
        path.write_text("x = 1\n")
    assert sizes.main() == 0
