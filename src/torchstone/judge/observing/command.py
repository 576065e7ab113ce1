"""Sandbox command of an observed program: user's code under the x-ray's extractors.

The process sees the interpreter, torch and its imports, the tools of a C++ compiler (for
``torch.compile``), the extractors, and one writable tmpfs folder. It has no network, no user data,
and nothing of Torchstone but the extractors. It imports torch and forks a process for each pass;
``observing.process`` confines each of them further.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from torchstone.core.isolation import Isolation
from torchstone.judge.build.compiler_sandbox import DEVICES, PACKAGE, system_folders
from torchstone.judge.observing.process import ObserverSettings, VisiblePaths
from torchstone.judge.sandbox.filters import Filter, filter_fd
from torchstone.judge.sandbox.levels import Machine
from torchstone.judge.sandbox.visible import IMPORTS, Visible

# Inductor asks setuptools for Python's headers. The chapters on the doctor (traces with msgspec)
# and on nested tensors (safetensors) run here.
OBSERVED_IMPORTS = (
    *IMPORTS,
    "torch._inductor.compile_fx",
    "torch._inductor.codegen.cpp",
    "setuptools",
    "msgspec",
    "safetensors",
)
_WORK = Path("/judge/work")
_WORK_BYTES = 256 << 20
_FLAGS = ("-I", "-S", "-B", "-u", "-X", "utf8")
_BOOT = (
    "import json, runpy, sys; sys.path[:0] = json.loads(sys.argv[1])['import_path']; "
    "runpy.run_module('torchstone.judge.observing.process', run_name='__main__', alter_sys=True)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """Command of an observer's sandbox; call ``close`` when the sandbox has ended."""

    argv: tuple[str, ...]
    env: dict[str, str]
    pass_fds: tuple[int, ...]
    _folder: Path | None = field(default=None)

    def close(self) -> None:
        """Release the resources of the command."""
        for fd in self.pass_fds:
            os.close(fd)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def observer_command(
    level: Isolation,
    *,
    machine: Machine,
    visible: Visible,
    module: str,
    parts: Sequence[str],
    runtime: Path,
) -> Launch:
    """Build the command of a process that runs programs under extractors.

    Args:
        level: The isolation level; the caller has checked that this machine supports it.
        machine: The features of this machine.
        visible: The files of torch and its imports.
        module: The module of the extractors; its ``serve`` answers requests from stdin.
        parts: The folders and files of this package that it needs.
        runtime: A private folder, for the files of the process below level ``namespaces``.
    """
    is_walled = level.is_at_least(Isolation.NAMESPACES)
    folder = None if is_walled else Path(tempfile.mkdtemp(prefix="observed-", dir=runtime))
    work = _WORK if folder is None else folder
    own = [PACKAGE / part for part in ("__init__.py", "judge/__init__.py", *_JUDGE, *parts)]
    filters = {} if level is Isolation.NONE else {name: filter_fd(name) for name in _FILTERS}
    seen = [path for path in (*system_folders(), *_of_torch(visible)) if path.exists()]
    site = visible.packages[0].parent
    settings = ObserverSettings(
        import_path=(str(PACKAGE.parent), str(site)),
        module=module,
        folder=str(work),
        filter_fds={str(name): fd for name, fd in filters.items()},
        landlock=None
        if is_walled or level is Isolation.NONE
        else VisiblePaths(
            executable=tuple(map(str, seen)),
            read_only=(*map(str, own), *DEVICES, "/proc"),
            read_write=(str(work), "/dev/null"),
        ),
    )
    environment = _environment(work)
    run = (
        os.path.realpath(sys.executable),
        *(*_FLAGS, "-c", _BOOT),
        json.dumps(asdict(settings)),
    )
    argv = (*_bubblewrap(machine, seen, own, environment), *run) if is_walled else run
    return Launch(argv=argv, env=environment, pass_fds=tuple(filters.values()), _folder=folder)


_FILTERS = (Filter.SCRIPT, Filter.COMPILER)
_JUDGE = ("judge/observing/__init__.py", "judge/observing/process.py", "judge/child")


def _of_torch(visible: Visible) -> Iterator[Path]:
    yield from visible.packages
    yield from visible.site_libraries.values()


def _environment(work: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "CXX") if name in os.environ}
    return kept | {
        "HOME": str(work),
        "TMPDIR": str(work),
        "TORCHINDUCTOR_CACHE_DIR": str(work / "inductor"),
        # No pool of processes; and runs must not share compiled code.
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "USER": "job",
        "LC_ALL": "C.UTF-8",
    }


def _bubblewrap(
    machine: Machine, seen: list[Path], own: list[Path], environment: dict[str, str]
) -> Iterator[str]:
    yield from (str(machine.bwrap), "--die-with-parent", "--new-session", "--clearenv")
    yield from ("--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts")
    yield from ("--unshare-cgroup-try", "--hostname", "judge", "--cap-drop", "ALL")
    if machine.user_namespace:
        yield from ("--unshare-user", "--uid", "1000", "--gid", "1000")
    for name, value in environment.items():
        yield from ("--setenv", name, value)
    # Torch reads the memory size from /proc, which shows only processes of this sandbox.
    yield from ("--proc", "/proc")
    for path in seen:
        if path.is_relative_to("/proc"):
            continue
        if path.is_symlink():  # /bin, for example, if it is a link into /usr
            yield from ("--symlink", os.readlink(path), str(path))
        else:
            yield from ("--ro-bind", str(path), str(path))
    for path in own:
        yield from ("--ro-bind", str(path), str(path))
    for device in DEVICES:
        yield from ("--dev-bind", device, device)
    yield from ("--size", str(_WORK_BYTES), "--tmpfs", str(_WORK))
    yield from ("--remount-ro", "/", "--chdir", str(_WORK), "--")
