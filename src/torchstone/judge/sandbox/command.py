"""Build the command that starts a zygote in its sandbox.

At levels `full` and `namespaces` the zygote is started by bubblewrap in a file tree made of the
listed things only, under the same names on every machine::

    /judge/python   the interpreter and its standard library
    /judge/lib      the shared libraries it was linked with, by soname
    /judge/site     torch, NumPy and what they import
    /judge/...      the child package and whatever the caller binds
    /box/job        where a job that may write mounts its own tmpfs

At `confined` and `none` the same tree is a folder of symbolic links; Landlock then refuses, in
each job, everything the links do not lead to.
"""

import json
import os
import shutil
import stat
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from torchstone.core.errors import JudgeUnavailable
from torchstone.core.isolation import Isolation
from torchstone.judge.sandbox.filters import Kind, export_filter
from torchstone.judge.sandbox.levels import KEPT_CAPABILITIES, Machine
from torchstone.judge.sandbox.visible import Visible

ROOT = Path("/judge")
_BOX = Path("/box")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
# Below the standard library, but not of it; ensurepip carries wheels of pip and setuptools.
_NOT_STDLIB = ("site-packages", "dist-packages", "ensurepip")
# Reference implementations of operators in Python: whoever must write one may not read it there.
_HIDDEN = (
    "torch/_refs",
    "torch/_decomp",
    "torch/_prims",
    "torch/_inductor",
    "torch/_dynamo",
    "torch/masked",
    "torch/testing",
    "torch/autograd/gradcheck.py",
)
_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    # Large tensors are freed and made again in every case: keeping their pages instead of giving
    # them back to the kernel halves the time of the large cases.
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(512 << 20),
    "MALLOC_TOP_PAD_": str(16 << 20),
    "THP_MEM_ALLOC_ENABLE": "1",
    "PYTHONHASHSEED": "random",
    "PYTHONDONTWRITEBYTECODE": "1",
    "LC_ALL": "C.UTF-8",
    "HOME": "/nonexistent",
    "USER": "job",
}
# -I ignores PYTHONDONTWRITEBYTECODE, hence -B; -S keeps site-packages off the import path.
_FLAGS = ("-I", "-S", "-B", "-X", "utf8")
_BOOT = (
    "import json, runpy, sys; settings = json.loads(sys.argv[1]); "
    "sys.path[:0] = settings['import_path']; "
    "runpy.run_module(settings['module'], run_name='__main__', alter_sys=True)"
)


class Role(StrEnum):
    """Whose code a zygote runs."""

    SUBMISSION = "submission"
    REFERENCE = "reference"


UID_BASES = {Role.SUBMISSION: 61_000, Role.REFERENCE: 61_100}
"""The uid of slot 0 where the judge may change uids; systemd hands out uids from 61184 on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How to start one zygote.

    `settings` reaches the zygote as JSON in `sys.argv[1]`; its keys:
        level, role, control_fd: as they were asked for.
        module, import_path: what to run, and where `child`, torch and NumPy are found.
        filter_fds: kind -> file descriptor that holds the seccomp filter, to be read to its end.
        read_only, read_write, hide: what `child.confine.landlock_ruleset` takes.
        namespaces: whether the steps that need CAP_SYS_ADMIN can be taken.
        uid_base: the uid of slot 0, or null when a job keeps the zygote's uid.
        box: the folder for jobs that may write (a mount point when `namespaces`).
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    pass_fds: tuple[int, ...]
    settings: Mapping[str, object]
    _owned_fds: tuple[int, ...] = ()
    _folder: Path | None = field(default=None)

    def close(self) -> None:
        """Free what the command stands on; call it when the zygote has ended."""
        for fd in self._owned_fds:
            os.close(fd)
        if self._folder is not None:
            shutil.rmtree(self._folder)


def zygote_command(
    level: Isolation,
    role: Role,
    *,
    machine: Machine,
    visible: Visible,
    control_fd: int,
    read_only_binds: Mapping[str, Path],
    runtime: Path,
    module: str = "child.zygote",
) -> Launch:
    """Build the command for one zygote.

    Args:
        level: How it is walled in; the caller has checked that this machine reaches it.
        role: Whose code it runs.
        machine: What this machine can do.
        visible: What the interpreter needs.
        control_fd: The zygote's end of the control socket, kept under the same number.
        read_only_binds: Name below `/judge` -> file or folder, e.g. `{"child": ...}`.
        runtime: A private folder for the symbolic links of level `confined`.
        module: What the zygote runs as its main module.

    Raises:
        JudgeUnavailable: A listed file does not exist or a job's own uid could not read it.
    """
    walled = level.is_at_least(Isolation.NAMESPACES)
    shown = _shown(visible) | {ROOT / name: path for name, path in read_only_binds.items()}
    changes_uid = walled and not machine.user_namespace
    _require_readable(visible, read_only_binds.values(), by_others=changes_uid)
    folder = None if walled else _link_tree(shown, runtime)
    root = ROOT if folder is None else folder / ROOT.name
    box = _BOX if folder is None else folder / _BOX.name
    filter_fds = _filter_fds(role) if level is not Isolation.NONE else {}
    # Bubblewrap covers what lies among the standard library; without it Landlock has to.
    hide = [str(visible.stdlib / name) for name in _NOT_STDLIB] if folder is not None else []
    hide += _hidden(root, visible) if role is Role.SUBMISSION else []
    settings: dict[str, object] = {
        "level": level,
        "role": role,
        "control_fd": control_fd,
        "module": module,
        "import_path": [str(root), str(root / "site")],
        "filter_fds": filter_fds,
        "read_only": [str(_within(path, root)) for path in shown] + list(_DEVICES),
        "read_write": [str(box)],
        "hide": hide,
        "namespaces": walled,
        "uid_base": UID_BASES[role] if changes_uid else None,
        "box": str(box / "job" if walled else box),
    }
    run = (*_FLAGS, "-c", _BOOT, json.dumps(settings))
    fds = (control_fd, *filter_fds.values())
    owned = tuple(filter_fds.values())
    if folder is not None:
        return Launch(
            argv=(str(visible.python), *run),
            env=_environment(box),
            pass_fds=fds,
            settings=settings,
            _owned_fds=owned,
            _folder=folder,
        )
    argv = (*_bubblewrap(machine, shown, visible), str(_inside(visible.python)), *run)
    return Launch(argv=argv, env={}, pass_fds=fds, settings=settings, _owned_fds=owned)


def _environment(box: Path) -> dict[str, str]:
    return _ENVIRONMENT | {"TMPDIR": str(box), "TORCHINDUCTOR_CACHE_DIR": str(box)}


def _inside(path: Path) -> Path:
    return ROOT / "python" / "bin" / path.name


def _within(path: Path, root: Path) -> Path:
    return root / path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def _shown(visible: Visible) -> dict[Path, Path]:
    """Map each name inside the sandbox to the file or folder it shows."""
    shown = {
        _inside(visible.python): visible.python,
        ROOT / "python" / "lib" / visible.stdlib.name: visible.stdlib,
        visible.loader: visible.loader.resolve(),
    }
    for library in visible.libraries:
        shown[ROOT / "lib" / library.name] = library.resolve()
    for package in visible.packages:
        shown[ROOT / "site" / package.name] = package
    return shown


def _bubblewrap(machine: Machine, shown: Mapping[Path, Path], visible: Visible) -> list[str]:
    """Write the arguments of bubblewrap up to the program it runs."""
    argv = [str(machine.bwrap), "--die-with-parent", "--new-session", "--clearenv"]
    argv += ["--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    argv += ["--unshare-cgroup-try", "--hostname", "judge"]
    if machine.user_namespace:
        # Otherwise there is no user namespace, so that each job's own uid is a real one and the
        # kernel counts its tasks; mounts are made before any uid changes.
        argv += ["--unshare-user", "--uid", "1000", "--gid", "1000"]
    argv += KEPT_CAPABILITIES
    environment = _environment(_BOX / "job") | {"LD_LIBRARY_PATH": str(ROOT / "lib")}
    for name, value in environment.items():
        argv += ["--setenv", name, value]
    for folder in _folders_of([*shown, *map(Path, _DEVICES), _BOX / "job"]):
        argv += ["--dir", str(folder)]
    for inside, outside in shown.items():
        argv += ["--ro-bind", str(outside), str(inside)]
    for name in _NOT_STDLIB:
        if (visible.stdlib / name).is_dir():
            cover = str(ROOT / "python" / "lib" / visible.stdlib.name / name)
            argv += ["--tmpfs", cover, "--remount-ro", cover]
    for device in _DEVICES:
        argv += ["--dev-bind", device, device]
    argv += ["--proc", "/proc", "--dir", str(_BOX / "job"), "--remount-ro", "/", "--chdir", "/"]
    return [*argv, "--"]


def _folders_of(paths: Collection[Path]) -> list[Path]:
    """List the folders above some paths, outermost first.

    Bubblewrap would make them itself, but with mode 0700: a job's own uid could not pass them.
    """
    folders = {parent for path in paths for parent in path.parents} - {Path("/")}
    return sorted(folders)


def _require_readable(visible: Visible, binds: Collection[Path], *, by_others: bool) -> None:
    """Say what is missing now, in words, rather than let a job die of it later."""
    for path in binds:
        if not path.exists():
            raise JudgeUnavailable("judge.sandbox.missing_file", path=path)
    if not by_others:
        return
    private = [*visible.private, *(path for path in binds if not _is_open_to_others(path))]
    if private:
        raise JudgeUnavailable("judge.sandbox.private_file", path=private[0])


def _is_open_to_others(path: Path) -> bool:
    wanted = stat.S_IROTH | (stat.S_IXOTH if path.is_dir() else 0)
    if path.stat().st_mode & wanted != wanted:
        return False
    return all(map(_is_open_to_others, path.iterdir())) if path.is_dir() else True


def _link_tree(shown: Mapping[Path, Path], runtime: Path) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="zygote-", dir=runtime))
    (folder / _BOX.name).mkdir()
    for name, path in shown.items():
        if name.is_relative_to(ROOT):
            link = folder / name.relative_to("/")
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(path)
    return folder


def _filter_fds(role: Role) -> dict[str, int]:
    kinds = [Kind.REFERENCE] if role is Role.REFERENCE else [Kind.PYTHON, Kind.SCRIPT]
    fds: dict[str, int] = {}
    for kind in kinds:
        fd = os.memfd_create(f"seccomp-{kind}")
        os.write(fd, export_filter(kind))
        os.lseek(fd, 0, os.SEEK_SET)
        fds[kind] = fd
    return fds


def _hidden(root: Path, visible: Visible) -> list[str]:
    """List, by their names inside, the sources that a submission may not read."""
    site = {package.name: package.parent for package in visible.packages}
    names = [
        name
        for name in _HIDDEN
        if (top := name.partition("/")[0]) in site and (site[top] / name).exists()
    ]
    return [str(root / "site" / name) for name in names]
