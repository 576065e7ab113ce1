import subprocess
from pathlib import Path

import pytest

from tests import drawn_tests, kept_results
from tests.drawn_tests import LIBRARIES, changed_since, is_in_share
from tests.kept_results import ROOT, digest_of

pytestmark = [pytest.mark.plain]

CONFTEST = """
from tests import drawn_tests, kept_results

def pytest_addoption(parser):
    kept_results.add_option(parser)

def pytest_configure(config):
    config.addinivalue_line("markers", "kept(*paths): as in our own tests")
    config.addinivalue_line("markers", "drawn(num_shares): as in our own tests")
    drawn_tests.register(config)
"""
LARGE = """
import pytest

pytestmark = [pytest.mark.kept("tests/mypy.toml"), pytest.mark.drawn(3)]

@pytest.mark.parametrize("number", range(300))
def test_many(number): pass
"""
QUIET = ("-p", "no:randomly", "-p", "no:schemathesis", "-p", "no:cacheprovider")


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("CI", "true")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_suite=LARGE)
    return pytester


def run(pytester: pytest.Pytester, *args: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess(*QUIET, *args)


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_ci_runs_a_share_of_a_large_set(suite: pytest.Pytester, workers: tuple[str, ...]) -> None:
    drawn = run(suite, *workers)
    num_passed = drawn.parseoutcomes()["passed"]
    assert 60 <= num_passed <= 140
    drawn.stdout.fnmatch_lines([f"{300 - num_passed} tests of large sets were not drawn*"])
    assert run(suite, *workers).parseoutcomes()["passed"] == num_passed


def test_all_run_elsewhere_or_when_asked(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(suite, "--again").assert_outcomes(passed=300)
    monkeypatch.setenv("CI", "")
    run(suite).assert_outcomes(passed=300)


def test_what_is_drawn_says_by_which_files(suite: pytest.Pytester) -> None:
    suite.makepyfile(test_suite=LARGE.replace('pytest.mark.kept("tests/mypy.toml"), ', ""))
    done = run(suite)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*is drawn, and says not by which files: mark it kept*"])


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a repository with one library and twelve files of tests, in three commits."""
    for module in (drawn_tests, kept_results):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(kept_results, "PACKAGE", tmp_path / "src/torchstone")
    monkeypatch.setattr(kept_results, "ALWAYS", ())
    monkeypatch.setattr(drawn_tests, "NUM_COMMITS", 1)
    for name in (
        "src/torchstone/models/a.py",
        "src/torchstone/kernels/b.py",
        "tests/web/test_w.py",
    ):
        write(tmp_path / name, "1")
    for number in range(12):
        write(tmp_path / f"tests/models/test_{number}.py", "1")
    git(tmp_path, "init", "-q")
    for number in range(3):
        write(tmp_path / "README", f"{number}")
        commit(tmp_path)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def git(repository: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@a", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *words], cwd=repository, check=True, capture_output=True)


def commit(repository: Path) -> None:
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "a change")


def drawn_files() -> set[int]:
    for cached in (digest_of, changed_since, drawn_tests._is_file_drawn):
        cached.cache_clear()
    return {
        number
        for number in range(12)
        if drawn_tests._is_file_drawn(f"tests/models/test_{number}.py")
    }


ALL = set(range(12))


def test_of_a_library_that_has_not_changed_a_share_of_the_files_runs(repository: Path) -> None:
    first = drawn_files()
    assert 0 < len(first) < 9
    assert drawn_files() == first


@pytest.mark.parametrize("source", ["models/a.py", "kernels/b.py"])
def test_all_files_run_until_a_change_is_old(repository: Path, source: str) -> None:
    first = drawn_files()
    write(repository / "src/torchstone" / source, "2")
    assert drawn_files() == ALL
    commit(repository)
    assert drawn_files() == ALL
    write(repository / "README", "later")
    commit(repository)
    second = drawn_files()
    assert second != ALL
    assert second != first


def test_a_file_of_tests_that_has_changed_runs(repository: Path) -> None:
    for number in range(12):
        write(repository / f"tests/models/test_{number}.py", "2")
        commit(repository)
        assert number in drawn_files()


def test_all_files_run_where_there_is_no_history(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawn_tests, "NUM_COMMITS", 99)
    assert drawn_files() == ALL


def drawn_cases(name: str = "tests/web/test_w.py") -> set[int]:
    """Return which of a hundred cases of a slow test run, that of problem 00 to that of 99."""
    for cached in (digest_of, changed_since):
        cached.cache_clear()
    paths = ("src/torchstone/models", "tests/web")
    return {
        number
        for number in range(100)
        if drawn_tests._is_slow_drawn(f"{name}::test_it[{number:02}-en]", name, paths)
    }


def test_of_slow_tests_a_share_runs_and_a_change_gives_another(repository: Path) -> None:
    first = drawn_cases()
    assert 15 < len(first) < 55
    assert drawn_cases() == first
    write(repository / "src/torchstone/models/a.py", "2")
    assert len(drawn_cases() & first) < len(first)


def test_a_slow_case_of_a_problem_that_has_changed_runs(repository: Path) -> None:
    for number in range(100):
        write(repository / f"src/torchstone/content/problems/{number:02}_a/oracle.py", "1")
        commit(repository)
        assert number in drawn_cases()
    assert len(drawn_cases()) < 60


def test_a_slow_test_of_a_file_that_has_changed_runs(repository: Path) -> None:
    name, paths = "tests/web/test_w.py", ("src/torchstone/models",)

    def drawn() -> set[int]:
        changed_since.cache_clear()
        tests = {number: f"{name}::test_{number}" for number in range(60)}
        return {n for n, test in tests.items() if drawn_tests._is_slow_drawn(test, name, paths)}

    assert 0 < len(drawn()) < 45
    write(repository / name, "2")
    assert len(drawn()) == 60


def test_what_is_not_slow_always_runs(suite: pytest.Pytester) -> None:
    suite.makepyfile(test_suite=LARGE.replace(", pytest.mark.drawn(3)", ""))
    run(suite).assert_outcomes(passed=300)


def test_the_libraries_and_their_tests_exist() -> None:
    for folder, sources in LIBRARIES.items():
        assert all((ROOT / each).is_dir() for each in (folder, *sources))


def test_another_file_gives_another_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_results, "ROOT", tmp_path)
    monkeypatch.setattr(kept_results, "ALWAYS", ())
    (tmp_path / "a.py").write_text("1")

    def share() -> set[int]:
        digest_of.cache_clear()
        return {n for n in range(300) if is_in_share(f"t{n}", ("a.py",), 3)}

    first = share()
    assert share() == first
    (tmp_path / "a.py").write_text("2")
    assert len(share() & first) < len(first) / 2
