"""With CI=true, a share of the largest sets of tests runs, drawn by the hash of their files.

Three kinds of sets are drawn from; ``--again``, or a run without CI=true, runs them whole. What has
changed in the last ``NUM_COMMITS`` commits runs.

- The tests that are marked slow: one in three. A case of a problem that has changed runs, and each
  test of a file that has; a case is known by its id, which begins with that of the problem.
- The files of tests of a library that has not changed: one in three.
- ``drawn(n)`` beside ``kept(*paths)``: one test in n, whatever has changed; with 1, all of them.

The same files always give the same tests, so that only a change turns a run red. Each change of
them gives others.
"""

import functools
import os
import re
import subprocess
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.kept_results import JUDGE, PROBLEMS, ROOT, digest_of

NUM_SHARES = 3
NUM_COMMITS = 50
# The tests of each library, and the sources that they try.
LIBRARIES = {
    "tests/microtorch": ("src/torchstone/microtorch",),
    "tests/cudasim": ("src/torchstone/cudasim",),
    "tests/kernels": ("src/torchstone/kernels",),
    "tests/models": ("src/torchstone/models", "src/torchstone/kernels"),
}

# What decides of a slow test that names no files whether it runs.
SOURCES = (*JUDGE, "tests")
_ID = re.compile(r"(\d\d(?:op)?)(?![0-9A-Za-z])")


class DrawnTests:
    """The plugin of CI."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._num_left_out = 0

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what is not drawn."""
        left_out = [item for item in items if not is_drawn(item)]
        self._num_left_out = len(left_out)
        self._config.hook.pytest_deselected(items=left_out)
        unchosen = set(left_out)
        items[:] = [item for item in items if item not in unchosen]

    def pytest_sessionfinish(self) -> None:
        """Tell the first process of xdist."""
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput["num_not_drawn"] = self._num_left_out

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take from a process how many tests it left out; all leave out the same."""
        output = getattr(node, "workeroutput", {})
        self._num_left_out = max(self._num_left_out, output.get("num_not_drawn", 0))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was left out."""
        if self._num_left_out:
            terminalreporter.write_line(
                f"{self._num_left_out} tests of large sets were not drawn "
                "(--again, or a run without CI=true, runs them)"
            )


def register(config: pytest.Config) -> None:
    """Register the plugin in CI, unless all tests are to be run."""
    if os.environ.get("CI") == "true" and not config.getoption("--again"):
        config.pluginmanager.register(DrawnTests(config), "drawn-tests")


def is_drawn(item: pytest.Item) -> bool:
    """Return whether a test runs in CI."""
    drawn, kept = item.get_closest_marker("drawn"), item.get_closest_marker("kept")
    if drawn is not None:
        if kept is None:
            raise pytest.UsageError(
                f"{item.nodeid} is drawn, and says not by which files: mark it kept"
            )
        return is_in_share(item.nodeid, kept.args, *drawn.args)
    if not item.path.is_relative_to(ROOT):
        return True
    name = item.path.relative_to(ROOT).as_posix()
    if _library_of(name) is not None:
        return _is_file_drawn(name)
    if item.get_closest_marker("slow") is None:
        return True
    return _is_slow_drawn(item.nodeid, name, SOURCES if kept is None else kept.args)


def is_in_share(name: str, paths_of_set: tuple[str, ...], num_shares: int) -> bool:
    """Return whether one of many tests is in the share of the files that the tests depend on."""
    return zlib.crc32(f"{name} {digest_of(paths_of_set)}".encode()) % num_shares == 0


def _is_slow_drawn(test: str, name: str, paths: tuple[str, ...]) -> bool:
    """Return whether a slow test runs: what it tries has changed, or it is drawn."""
    changed = changed_since(ROOT, NUM_COMMITS)
    case = _ID.match(test.partition("[")[2])
    own = name if case is None else f"{PROBLEMS}/{case[1]}_"
    if changed is None or any(each.startswith(own) for each in changed):
        return True
    return is_in_share(test, paths, NUM_SHARES)


def _library_of(name: str) -> str | None:
    return next((folder for folder in LIBRARIES if name.startswith(f"{folder}/")), None)


@functools.cache
def _is_file_drawn(name: str) -> bool:
    """Return whether a file of tests runs: its library has changed, or it has, or it is drawn."""
    folder = _library_of(name)
    assert folder is not None, f"{name} belongs to no library"
    sources, changed = LIBRARIES[folder], changed_since(ROOT, NUM_COMMITS)
    is_settled = changed is not None and not any(
        each == name or each.startswith(tuple(f"{source}/" for source in sources))
        for each in changed
    )
    return not is_settled or is_in_share(name, (*sources, folder), NUM_SHARES)


@functools.cache
def changed_since(repository: Path, num_commits: int) -> frozenset[str] | None:
    """Return the files that differ from those of some commits before; None without that history."""
    done = subprocess.run(
        ["git", "diff", "--name-only", f"HEAD~{num_commits}", "--"],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
    )
    return frozenset(done.stdout.splitlines()) if done.returncode == 0 else None
