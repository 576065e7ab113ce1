"""What holds for every test: folders of its own, one thread, and no silent skip in CI."""

import gc
import logging
import os
import re
import signal
import sys
from collections.abc import Generator, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import hypothesis
import pytest

# The mark of a whole file, on one line or on several.
_ALL_FULL = re.compile(r"^pytestmark = (\[[^\]]*)?pytest\.mark\.full\b", flags=re.MULTILINE)

# Files whose tests take minutes together. They are begun first, so that at the end no process is
# left alone with one of them.
_LONG = (
    "content/test_problems.py",
    "web/browser/test_pages.py",
    "web/test_server.py",
    "cudasim/test_module.py",
    "judge/peak/test_peak.py",
)

# Folders whose tests share what takes seconds to start, a worker pool or the index of a search: one
# process takes them all.
_TOGETHER = (
    "app/search",
    "judge/distributed",
    "judge/launches",
    "judge/loader",
    "judge/pool",
    "judge/restarts",
)

# conftest is loaded before any test module imports torch, which reads these once: two test
# processes with a thread per core each slow both down.
for _threads in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")

# Triton reads it when it is imported; the tests on a GPU (`-m gpu`) are run with 0.
os.environ.setdefault("TRITON_INTERPRET", "1")

# Whoever runs the tests in the background ignores Ctrl-C, and every process that a test starts
# would inherit that: those that are to be interrupted would go on for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No deadline: a test asserts no wall-clock time, and the machine may be busy. The same examples for
# everybody, so that only a change turns a run red.
hypothesis.settings.register_profile("torchstone", deadline=None, print_blob=True, derandomize=True)
hypothesis.settings.load_profile("torchstone")


@pytest.fixture(scope="session", autouse=True)
def private_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep every test away from the folders, the settings and the language of whoever runs it.

    The cache is shared on purpose: it holds only what can be built again, and building is slow.
    """
    home = tmp_path_factory.mktemp("torchstone")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CONFIG", "DATA", "RUNTIME", "WORKSPACE"):
            patch.setenv(f"TORCHSTONE_{name}", str(home / name.lower()))
        patch.setenv("TORCHSTONE_LANG", "en")
        yield


@pytest.fixture
def logged() -> Iterator[list[logging.LogRecord]]:
    """Collect what is logged as a warning or worse."""
    records: list[logging.LogRecord] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = records.append  # type: ignore[method-assign]
    root = logging.getLogger()
    root.addHandler(handler)
    yield records
    root.removeHandler(handler)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave a file out unread whose tests are all full where none of those runs.

    To import them takes as long as many tests.
    """
    if config.getoption("markexpr") != "not full" or not collection_path.match("test_*.py"):
        return None
    return bool(_ALL_FULL.search(collection_path.read_text(encoding="utf-8"))) or None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each process whole files (`--dist loadfile`), and whole folders of those above."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            path: str = super()._split_scope(nodeid)
            folder = path.rpartition("/")[0]
            return folder if folder.endswith(_TOGETHER) else path

    return Scheduling(config, log)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None]:
    """Mark the cases of a table full that its mark `gate` does not name; put long files first.

    A case is named by its id, or by a pattern of ids as the shell has them.
    """
    for item in items:
        gate = item.get_closest_marker("gate")
        if gate is None:
            continue
        case = item.name.partition("[")[2].removesuffix("]")
        if not any(fnmatchcase(case, pattern) for pattern in gate.args):
            item.add_marker(pytest.mark.full)
    yield
    items.sort(key=lambda item: not item.path.as_posix().endswith(_LONG))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Search for no garbage while tests are collected: there is none, and a search takes long."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Name a test that fails at once, instead of after all others."""
    if report.failed:
        outcome = "failed" if report.when == "call" else "error"
        return outcome, f"\nFAILED {report.nodeid}\n", "FAILED"
    return None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Seed torch as pytest-randomly seeds random and NumPy, so its seed repeats a failure.

    Without a GPU `torch.manual_seed` keeps a stack of its caller for each kind of device.
    """
    if torch := sys.modules.get("torch"):
        has_gpu = torch.cuda.is_available()
        seed = torch.manual_seed if has_gpu else torch.default_generator.manual_seed
        seed(item.config.getoption("randomly_seed", 0))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test that skips in CI: a part that is missing must not look like a part that works."""
    report = yield
    if _is_forbidden_skip(report) and not hasattr(report, "wasxfail"):
        _fail(report, item.nodeid)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Fail a whole module that skips in CI, such as one whose import is missing."""
    report = yield
    if _is_forbidden_skip(report):
        _fail(report, collector.nodeid)
    return report


def _is_forbidden_skip(report: pytest.TestReport | pytest.CollectReport) -> bool:
    return bool(
        os.environ.get("CI") == "true"
        and report.skipped
        and not _reason(report).lower().startswith("gpu")
    )


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    # The longrepr of a skip is (path, line, "Skipped: reason").
    longrepr = report.longrepr
    reason = longrepr[2] if isinstance(longrepr, tuple) else str(longrepr)
    return reason.removeprefix("Skipped: ")


def _fail(report: pytest.TestReport | pytest.CollectReport, nodeid: str) -> None:
    reason = _reason(report)
    report.outcome = "failed"
    report.longrepr = f"{nodeid} was skipped, which CI=true forbids: {reason}"
