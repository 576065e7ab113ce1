"""Sandbox command of a compiler process.

The process sees the tools and headers of the machine under their own paths, the simulator, and one
writable tmpfs folder. It has no network and sees no user data. At levels `confined` and `none`
there is no separate file tree; there `build.compiler_process` loads Landlock and seccomp itself
before it reads a submission.
"""

import json
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from torchstone.core.isolation import Isolation
from torchstone.cudasim.nvcc import find_nvcc
from torchstone.judge.build.records import CompilerSettings, VisiblePaths
from torchstone.judge.child.protocol.records import as_dict
from torchstone.judge.sandbox.filters import Filter, filter_fd
from torchstone.judge.sandbox.levels import Machine

PACKAGE = Path(__file__).resolve().parents[2]
# Only the parts of the package that compile; the sandbox contains no problem and no solution.
_PARTS = (
    *("__init__.py", "core/__init__.py", "core/bundle.py", "cudasim"),
    *("judge/__init__.py", "judge/child", "judge/build"),
)
_WORK = Path("/judge/work")
_WORK_BYTES = 256 << 20
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32")
_OF_ETC = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d")
# -march=native and the names of the simulator's products depend on this file.
_OF_PROC = ("/proc/cpuinfo",)
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
_SITES = ("site-packages", "dist-packages")
_FLAGS = ("-I", "-S", "-B", "-X", "utf8")
_BOOT = (
    "import json, runpy, sys; sys.path[:0] = [json.loads(sys.argv[1])['import_path']]; "
    "runpy.run_module('torchstone.judge.build.compiler_process', "
    "run_name='__main__', alter_sys=True)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """Command of a compiler's sandbox; call `close` when the sandbox has ended."""

    argv: tuple[str, ...]
    env: dict[str, str]
    pass_fds: tuple[int, ...]
    _filter_fds: tuple[int, ...] = ()
    _folder: Path | None = field(default=None)

    def close(self) -> None:
        """Release the resources of the command."""
        for fd in self._filter_fds:
            os.close(fd)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def build_command(
    level: Isolation,
    *,
    machine: Machine,
    cache: Path,
    fds: list[int],
    runtime: Path,
    sees: tuple[Path, ...] = (),
    packages: Path | None = None,
    address_space_bytes: int = 1 << 30,
) -> Launch:
    """Build the command for one submission.

    Args:
        level: The isolation level; the caller has checked that this machine supports it.
        sees: The folders that this kind of build reads, under their own paths.
        packages: The folder of installed packages whose build backend starts at once; None if no
            package is built.
        address_space_bytes: The limit for each process.
        machine: The features of this machine.
        cache: The folder of the simulator's products; read only.
        fds: The socket, the report pipe and the output of the compiler process.
        runtime: A private folder for the files of the compiler process at level `confined`.
    """
    is_walled = level.is_at_least(Isolation.NAMESPACES)
    folder = None if is_walled else Path(tempfile.mkdtemp(prefix="build-", dir=runtime))
    if folder is not None:
        packages = packages and _link_packages(folder / "site", sees)
    filter_fds = () if level is Isolation.NONE else (filter_fd(Filter.COMPILER),)
    seen = [path for path in (*system_folders(), cache, *sees) if path.exists()]
    settings = CompilerSettings(
        fds=fds,
        folder=str(_WORK if folder is None else folder),
        site=None if packages is None else str(packages),
        has_hooks=packages is not None,
        import_path=str(PACKAGE.parent),
        address_space_bytes=address_space_bytes,
        filter_fd=filter_fds[0] if filter_fds else None,
        # Bubblewrap shows nothing else; without it, Landlock hides all other files.
        landlock=None
        if folder is None or level is Isolation.NONE
        else VisiblePaths(
            executable=tuple(map(str, seen)),
            read_only=(*(str(PACKAGE / part) for part in _PARTS), *DEVICES),
            read_write=(str(folder), "/dev/null"),
        ),
    )
    environment = _environment(cache, Path(settings.folder))
    # The interpreter itself, not the virtual environment, which has other packages.
    python = os.path.realpath(sys.executable)
    run = (python, *_FLAGS, "-c", _BOOT, json.dumps(as_dict(settings)))
    argv = (*_bubblewrap(machine, seen, cache, environment), *run) if is_walled else run
    return Launch(
        argv=argv,
        env=environment,
        pass_fds=(*fds, *filter_fds),
        _filter_fds=filter_fds,
        _folder=folder,
    )


def _link_packages(site: Path, sees: tuple[Path, ...]) -> Path:
    """Create a folder in which the import system finds only the packages in `sees`.

    Landlock alone would deny reading the other packages, which makes optional imports fail.
    """
    site.mkdir()
    for path in sees:
        if path.parent.name in _SITES:
            (site / path.name).symlink_to(path)
    return site


def _environment(cache: Path, folder: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "CXX") if name in os.environ}
    if (nvcc := find_nvcc()) is not None:
        kept["PATH"] = f"{kept.get('PATH', os.defpath)}{os.pathsep}{nvcc.parent}"
    return kept | {"CUSIM_CACHE": str(cache), "TMPDIR": str(folder), "LC_ALL": "C.UTF-8"}


def system_folders() -> Iterator[Path]:
    """Yield the folders of the interpreter, the compiler, the headers and the libraries."""
    yield from map(Path, (*_SYSTEM, *_OF_ETC, *_OF_PROC))
    named = shlex.split(os.environ.get("CXX", "")) or ["g++"]
    for program in (sys.executable, shutil.which(named[0]), find_nvcc()):
        if program is not None:
            root = Path(os.path.realpath(program)).parent.parent
            if not root.is_relative_to("/usr"):
                yield root


def _bubblewrap(
    machine: Machine, seen: list[Path], cache: Path, environment: dict[str, str]
) -> Iterator[str]:
    yield from (str(machine.bwrap), "--die-with-parent", "--new-session", "--clearenv")
    yield from ("--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts")
    yield from ("--unshare-cgroup-try", "--hostname", "judge", "--cap-drop", "ALL")
    if machine.user_namespace:
        yield from ("--unshare-user", "--uid", "1000", "--gid", "1000")
    for name, value in environment.items():
        yield from ("--setenv", name, value)
    for path in seen:
        if path.is_symlink():  # /bin, for example, if it is a link into /usr
            yield from ("--symlink", os.readlink(path), str(path))
        else:
            yield from ("--ro-bind", str(path), str(path))
    # Under its own path, which the simulator's products contain.
    for part in _PARTS:
        yield from ("--ro-bind", str(PACKAGE / part), str(PACKAGE / part))
    for device in DEVICES:
        yield from ("--dev-bind", device, device)
    yield from ("--size", str(_WORK_BYTES), "--tmpfs", str(_WORK))
    yield from ("--remount-ro", "/", "--chdir", str(_WORK), "--")
