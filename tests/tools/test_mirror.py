from pathlib import Path

import pytest

from tools import mirror

pytestmark = pytest.mark.pure


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    sources = ["core/a.py", "core/b.py", "core/__init__.py", "content/x.py", "judge/a.py"]
    for name in [*(f"src/torchstone/{source}" for source in sources), "tests/core/test_a.py"]:
        write(tmp_path / name)
    write(tmp_path / mirror.LIST, "core/b.py\njudge/a.py\n")
    return tmp_path


def write(path: Path, text: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def report(tree: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    assert mirror.main([str(tree), *options]) == 0
    return capsys.readouterr().out.splitlines()


def test_modules_without_a_test_of_their_name_are_found(tree: Path) -> None:
    assert mirror.without_mirror(tree) == ["core/b.py", "judge/a.py"]


def test_one_line_is_printed_when_nothing_is_new(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = "mirror: no new module without a test file of its name (2 known)."
    assert report(tree, capsys) == [expected]


def test_only_what_is_new_or_no_longer_applies_is_printed(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tree / "src/torchstone/store/new.py")
    write(tree / "tests/core/test_b.py")
    new, stale, advice = report(tree, capsys)
    assert new == "store/new.py: no test file of this name."
    assert stale.startswith("core/b.py: listed in tools/mirror.txt")
    assert "--write" in advice


def test_the_list_is_written_on_demand(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tree / "src/torchstone/store/new.py")
    assert report(tree, capsys, "--write") == report(tree, capsys)
    listed = (tree / mirror.LIST).read_text(encoding="utf-8")
    assert listed == "core/b.py\njudge/a.py\nstore/new.py\n"


def test_the_list_of_this_repository_is_sorted_and_names_python_files() -> None:
    path = Path(mirror.__file__).parents[1] / mirror.LIST
    names = path.read_text(encoding="utf-8").splitlines()
    assert names == sorted(set(names), key=Path)
    assert all(name.endswith(".py") for name in names)
