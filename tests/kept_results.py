"""Tests that passed are not run again while the files that they depend on are the same.

A file of tests names what it depends on::

    pytestmark = pytest.mark.kept(*JUDGE, "tests/judge/attacks")

The names of the tests that pass are kept in the user's cache, below a hash of these files, of
torch, Python, the compilers and the machine. With ``CI=true`` or ``--again`` all tests run.

What CI leaves out of the largest sets, `tests/drawn_tests.py` says.
"""

import functools
import hashlib
import importlib.metadata
import json
import os
import platform
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import torchstone
from torchstone.core import paths
from torchstone.judge.sandbox.levels import probe_machine

ROOT = Path(__file__).resolve().parents[1]
# Not below ROOT where a test runs these tests with a copy of the package.
PACKAGE = Path(torchstone.__file__).parent
IN_ROOT = "src/torchstone/"
# What determines a verdict.
JUDGE = tuple(f"{IN_ROOT}{name}" for name in ("bank", "core", "cudasim", "judge"))
CUDASIM = (f"{IN_ROOT}cudasim", "tests/cudasim")
MICROTORCH = f"{IN_ROOT}microtorch"
PROBLEMS = f"{IN_ROOT}content/problems"
# What every test depends on.
ALWAYS = (
    f"{IN_ROOT}__init__.py",
    "requirements.lock",
    "tests/conftest.py",
    "tests/kept.py",
    "tests/kept_results.py",
)
MOST_HASHES = 40
_COMPILERS = ("g++", "clang++", "nvcc", "bwrap", "aarch64-linux-gnu-g++")


class KeptResults:
    """The plugin of one process of pytest."""

    def __init__(self, config: pytest.Config, folder: Path) -> None:
        self._config = config
        self._folder = folder
        self._hashes: dict[str, str] = {}
        self._passed: set[str] = set()
        self._failed_files: set[str] = set()
        self._is_teardown_failed = False
        self._num_kept = 0
        # With xdist, all processes must collect the same tests: they take what the first one read.
        given = getattr(config, "workerinput", {}).get("kept_results")
        self._kept: dict[str, list[str]] = _read(folder) if given is None else given

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Hand what was read to a process of xdist."""
        node.workerinput["kept_results"] = self._kept

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take from a process how many tests it left out; all leave out the same."""
        output = getattr(node, "workeroutput", {})
        self._num_kept = max(self._num_kept, output.get("num_kept", 0))

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what passed before."""
        for item in items:
            if marker := item.get_closest_marker("kept"):
                self._hashes[item.nodeid] = hash_of(marker.args)
        kept = {(key, name) for key, names in self._kept.items() for name in names}
        left_out = [item for item in items if (self._hashes.get(item.nodeid), item.nodeid) in kept]
        self._num_kept = len(left_out)
        self._config.hook.pytest_deselected(items=left_out)
        chosen = set(items).difference(left_out)
        items[:] = [item for item in items if item in chosen]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember what passed, and what did not."""
        if report.failed:
            self._failed_files.add(_file_of(report.nodeid))
            # What several files share may be torn down after the last test of another one.
            self._is_teardown_failed |= report.when == "teardown"
        elif report.passed and report.when == "call" and report.nodeid in self._hashes:
            self._passed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Keep the tests of files without a failure."""
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput["num_kept"] = self._num_kept
        if not self._is_teardown_failed:
            sound = {name for name in self._passed if _file_of(name) not in self._failed_files}
            _keep(self._folder, {name: self._hashes[name] for name in sound})

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was left out."""
        if self._num_kept:
            terminalreporter.write_line(
                f"{self._num_kept} tests were not run: they passed before with the same files, "
                "torch and machine (--again or CI=true runs them)"
            )


def add_option(parser: pytest.Parser) -> None:
    """Add the option that runs all."""
    parser.addoption(
        "--again",
        action="store_true",
        help="run the tests that passed before, and in CI those that are not drawn, too",
    )


def register(config: pytest.Config) -> None:
    """Register the plugin, unless all tests are to be run."""
    if os.environ.get("CI") != "true" and not config.getoption("--again"):
        plugin = KeptResults(config, paths.cache_dir() / "tests" / "results")
        config.pluginmanager.register(plugin, "kept-results")


@functools.cache
def hash_of(names: tuple[str, ...]) -> str:
    """Hash files and folders, named from the root of the repository, and the machine."""
    return hashlib.sha256(_machine() + digest_of(names).encode()).hexdigest()


@functools.cache
def digest_of(names: tuple[str, ...]) -> str:
    """Hash files and folders by their names below the root and their content."""
    digest = hashlib.sha256()
    for path in files_of((*names, *ALWAYS)):
        content, name = path.read_bytes(), os.fsencode(_name_of(path))
        digest.update(b"%d:%s%d:%s" % (len(name), name, len(content), content))
    return digest.hexdigest()


def _name_of(path: Path) -> Path:
    """Return the name of a file wherever the repository lies."""
    base = PACKAGE if path.is_relative_to(PACKAGE) else ROOT
    return path.relative_to(base)


def files_of(names: Iterable[str]) -> list[Path]:
    """List all files of files and folders.

    Raises:
        FileNotFoundError: There is none of this name.
    """
    found: set[Path] = set()
    for name in names:
        is_ours = name.startswith(IN_ROOT)
        path = PACKAGE / name.removeprefix(IN_ROOT) if is_ours else ROOT / name
        inside = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
        if not inside:
            raise FileNotFoundError(f"a test depends on {name}, which is neither file nor folder")
        found.update(each for each in inside if "__pycache__" not in each.parts)
    return sorted(found)


@functools.cache
def _machine() -> bytes:
    compilers = [shutil.which(name) for name in _COMPILERS]
    stamps = [(at, os.stat(at).st_size, os.stat(at).st_mtime_ns) for at in compilers if at]
    torch = importlib.metadata.distribution("torch")
    build = torch.read_text("WHEEL"), torch.version
    cpu = [
        line
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        if line.startswith(("model name", "flags", "Features"))
    ]
    facts = [stamps, build, sorted(set(cpu)), platform.release(), sys.version, os.getuid()]
    return json.dumps([*facts, repr(probe_machine())]).encode()


def _read(folder: Path) -> dict[str, list[str]]:
    """Read which tests passed with each hash."""
    return {
        path.stem: path.read_text(encoding="utf-8").splitlines() for path in folder.glob("*.txt")
    }


def _keep(folder: Path, passed: dict[str, str]) -> None:
    """Add the names of tests to the files of their hashes, and remove the oldest files."""
    paths.private_dir(folder)
    for value in sorted(set(passed.values())):
        names = sorted(name for name, its in passed.items() if its == value)
        # One write, so that two processes do not mix their lines.
        with (folder / f"{value}.txt").open("ab", buffering=0) as file:
            file.write("".join(f"{name}\n" for name in names).encode())
    files = sorted(folder.glob("*.txt"), key=lambda path: path.stat().st_mtime)
    for path in files[:-MOST_HASHES]:
        path.unlink(missing_ok=True)


def _file_of(nodeid: str) -> str:
    return nodeid.split("::")[0]
