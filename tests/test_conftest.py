from pathlib import Path

import pytest

pytestmark = pytest.mark.plain


@pytest.fixture(autouse=True)
def own_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the inner suite import what the conftest imports."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))


CONFTEST = Path(__file__).with_name("conftest.py").read_text(encoding="utf-8")

# One suite inside another: the inner one must not inherit the outer one's order or plugins.
QUIET = ("-p", "no:randomly", "-p", "no:schemathesis")

SUITE = """
import pytest

def test_works(): pass

@pytest.mark.skip(reason="bwrap is missing")
def test_marked(): pass

def test_inside(): pytest.skip("gpucompiler is fine, this is not: no compiler")

@pytest.mark.skip(reason="GPU: no CUDA device")
def test_needs_a_gpu(): pass

@pytest.mark.xfail(reason="not yet")
def test_known(): assert False
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_suite=SUITE.replace("gpucompiler is fine, this is not: ", ""))
    return pytester


def run(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, ci: str, *args: str
) -> pytest.RunResult:
    monkeypatch.setenv("CI", ci)
    return pytester.runpytest_subprocess(*QUIET, *args)


@pytest.mark.parametrize("workers", [(), ("-n", "1")])
def test_a_skip_fails_in_ci_unless_it_waits_for_a_gpu(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workers: tuple[str, ...]
) -> None:
    result = run(suite, monkeypatch, "true", *workers)
    result.assert_outcomes(passed=1, failed=1, errors=1, skipped=1, xfailed=1)
    result.stdout.fnmatch_lines_random(
        ["*CI=true forbids: bwrap is missing*", "*CI=true forbids: no compiler*"]
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_skip_is_a_skip_elsewhere(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = run(suite, monkeypatch, "false")
    result.assert_outcomes(passed=1, skipped=3, xfailed=1)
    assert result.ret == pytest.ExitCode.OK


def test_a_module_that_skips_itself_fails_in_ci(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile("import pytest\npytest.importorskip('no_such_module')\n")
    result = run(pytester, monkeypatch, "true")
    result.assert_outcomes(errors=1)
    assert result.ret != pytest.ExitCode.OK


def test_the_folders_of_whoever_runs_the_tests_are_out_of_reach() -> None:
    from torchstone.core import paths

    home = Path.home()
    for folder in (paths.config_dir(), paths.data_dir(), paths.workspace_dir()):
        assert home not in folder.parents


def test_files_that_take_long_come_first_and_whole(suite: pytest.Pytester) -> None:
    quick = "def test_one(): pass\ndef test_other(): pass\n"
    slow = quick.replace("def test_other", "import pytest\n@pytest.mark.slow\ndef test_other")
    suite.makepyfile(test_a=quick, test_z=slow)
    suite.makeini("[pytest]\nmarkers = slow")
    found = suite.runpytest_subprocess(*QUIET, "--collect-only", "-q")
    files = [line.partition("::")[0] for line in found.outlines if "::" in line]
    assert list(dict.fromkeys(files)) == ["test_z.py", "test_a.py", "test_suite.py"]
    assert files[:4] == ["test_z.py"] * 2 + ["test_a.py"] * 2


MARKS = "[pytest]\nmarkers =\n    pure\n    plain\n    slow"
PURE = "import pytest\n@pytest.mark.pure\ndef test_one(): pass\n"


def test_where_only_pure_tests_run_nothing_else_is_imported(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makeini(MARKS)
    pytester.makepyfile(test_pure=f"{PURE}def test_other(): pass\n", test_torch="import no_such")
    for name, text in (("models/conftest", "import no_such"), ("models/test_model", "")):
        pytester.makepyfile(**{name: text})
    (pytester.path / "sub").mkdir()
    (pytester.path / "sub/test_deep.py").write_text(PURE, encoding="utf-8")
    result = pytester.runpytest_subprocess(*QUIET, "-m", "pure")
    result.assert_outcomes(passed=2, deselected=1)
    assert pytester.runpytest_subprocess(*QUIET).ret != pytest.ExitCode.OK


def test_a_test_that_is_pure_and_slow_is_refused(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makeini(MARKS)
    pytester.makepyfile(test_both=PURE.replace("def", "@pytest.mark.slow\ndef"))
    result = pytester.runpytest_subprocess(*QUIET)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*test_one is pure and slow; mark it plain*"])
