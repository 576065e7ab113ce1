import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import kept_results
from tests.kept_results import ALWAYS, PACKAGE, ROOT, digest_of, files_of, hash_of

pytestmark = [pytest.mark.plain]

TESTS = ROOT / "tests"
CONFTEST = """
import pytest
from tests import kept_results

def pytest_addoption(parser):
    kept_results.add_option(parser)

def pytest_configure(config):
    config.addinivalue_line("markers", "kept(*paths): as in our own tests")
    kept_results.register(config)
"""
SUITE = """
import pytest

pytestmark = pytest.mark.kept("tests/mypy.toml")

def test_one(): pass

@pytest.mark.parametrize("x", [1, 2])
def test_two(x): assert WORKS

def test_skips(): pytest.skip("today")
"""
OTHER = """
import pytest

@pytest.fixture(scope="session")
def shared():
    yield
    assert WORKS

def test_other(shared): pass
"""
QUIET = ("-p", "no:randomly", "-p", "no:schemathesis", "-p", "no:cacheprovider")


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("TORCHSTONE_CACHE", str(pytester.path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("CI", "")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_suite=SUITE.replace("WORKS", "True"))
    return pytester


def run(pytester: pytest.Pytester, *args: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess(*QUIET, *args)


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_what_passed_is_not_run_again(suite: pytest.Pytester, workers: tuple[str, ...]) -> None:
    run(suite, *workers).assert_outcomes(passed=3, skipped=1)
    again = run(suite, *workers)
    # xdist does not count what its processes deselect.
    again.assert_outcomes(skipped=1, deselected=0 if workers else 3)
    again.stdout.fnmatch_lines(["3 tests were not run: they passed before with the same files*"])


def test_it_is_run_again_in_ci_or_when_asked(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(suite).assert_outcomes(passed=3, skipped=1)
    run(suite, "--again").assert_outcomes(passed=3, skipped=1)
    monkeypatch.setenv("CI", "true")
    run(suite, "-k", "not skips").assert_outcomes(passed=3, deselected=1)


def test_it_is_run_again_when_a_file_or_the_machine_has_changed(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(suite).assert_outcomes(passed=3, skipped=1)
    for path in (suite.path / "cache/tests/results").iterdir():
        path.rename(path.with_stem("0" * 64))
    run(suite).assert_outcomes(passed=3, skipped=1)


def test_a_file_with_a_failure_keeps_nothing(suite: pytest.Pytester) -> None:
    suite.makepyfile(test_suite=SUITE.replace("WORKS", "x == 1"))
    run(suite).assert_outcomes(passed=2, failed=1, skipped=1)
    run(suite).assert_outcomes(passed=2, failed=1, skipped=1)


def test_nothing_is_kept_when_something_shared_fails_at_the_end(suite: pytest.Pytester) -> None:
    suite.makepyfile(test_zother=OTHER.replace("WORKS", "False"))
    run(suite).assert_outcomes(passed=4, errors=1, skipped=1)
    run(suite).assert_outcomes(passed=4, errors=1, skipped=1)


def test_a_file_that_was_cut_off_is_no_reason_to_leave_a_test_out(suite: pytest.Pytester) -> None:
    run(suite).assert_outcomes(passed=3, skipped=1)
    (path,) = (suite.path / "cache/tests/results").iterdir()
    path.write_text("test_suite.py::test_one\ntest_suite.py::test_tw", encoding="utf-8")
    run(suite).assert_outcomes(passed=2, deselected=1, skipped=1)


def test_the_oldest_hashes_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_results, "MOST_HASHES", 3)
    for number in range(5):
        kept_results._keep(tmp_path, {"a": f"{number}"})
    assert {path.stem for path in tmp_path.iterdir()} == {"2", "3", "4"}


def test_a_changed_file_changes_the_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_results, "ROOT", tmp_path)
    monkeypatch.setattr(kept_results, "ALWAYS", ())
    folder = tmp_path / "tests"
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "a.py").write_text("1")

    def digest() -> str:
        hash_of.cache_clear()
        digest_of.cache_clear()
        return hash_of(("tests",))

    first = digest()
    (folder / "__pycache__/a.pyc").write_text("1")
    assert digest() == first
    (folder / "a.py").write_text("2")
    assert digest() != first
    (folder / "a.py").rename(folder / "b.py")
    second = digest()
    assert second != first
    monkeypatch.setattr(kept_results, "_machine", lambda: b"another")
    assert digest() != second


def test_a_name_of_nothing_is_refused() -> None:
    with pytest.raises(FileNotFoundError, match="tests/nothing"):
        files_of(["tests/nothing"])


MARKED = [
    path
    for path in sorted(TESTS.rglob("test_*.py"))
    # These two have such files in strings.
    if path.name not in ("test_kept_results.py", "test_drawn_tests.py")
    and re.search(r"mark\.kept\(", path.read_text(encoding="utf-8"))
]


def test_there_are_such_files() -> None:
    assert len(MARKED) > 5


@pytest.mark.torch
@pytest.mark.parametrize("path", MARKED, ids=lambda path: path.relative_to(TESTS).as_posix())
def test_a_kept_file_depends_on_what_it_imports(path: Path) -> None:
    """Whatever it imports, directly or not, must be below what its mark names."""
    marks = importlib.import_module(_module_of(path)).pytestmark
    (kept,) = [
        mark for mark in (marks if isinstance(marks, list) else [marks]) if mark.name == "kept"
    ]
    named = set(files_of((*kept.args, *ALWAYS)))
    # What the machinery of all tests imports is not followed.
    seen, waiting = {path, *files_of(ALWAYS)}, [path]
    while waiting:
        for found in _imported(waiting.pop()):
            if found not in seen:
                seen.add(found)
                waiting.append(found)
    assert sorted(seen - named) == []


def _imported(path: Path) -> Iterator[Path]:
    bases = {"tests": TESTS, "torchstone": PACKAGE}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        found: list[Path] = []
        if isinstance(node, ast.Import):
            found = [bases[root].joinpath(*rest) for root, rest in _ours(node.names, bases)]
        elif isinstance(node, ast.ImportFrom):
            root, *rest = (node.module or "").split(".")
            if node.level:
                package = path.parents[node.level - 1].joinpath(*filter(None, [root, *rest]))
            elif root in bases:
                package = bases[root].joinpath(*rest)
            else:
                continue
            found = [package, *(package / each.name for each in node.names)]
        for at in found:
            yield from filter(Path.is_file, (at.with_suffix(".py"), at / "__init__.py"))


def _ours(names: list[ast.alias], bases: dict[str, Path]) -> Iterator[tuple[str, list[str]]]:
    for each in names:
        root, *rest = each.name.split(".")
        if root in bases:
            yield root, rest


def _module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)
