"""Sandbox command of a zygote.

At levels `full` and `namespaces`, bubblewrap starts the zygote in a file tree with only these
entries. They have the same names on every machine::

    /judge/python   the interpreter and its standard library
    /judge/lib      the shared libraries of the interpreter, by soname
    /judge/site     torch, NumPy, the modules that they import, and the libraries that these load
    /judge/...      the child package and the files that the caller binds
    /etc            two files that only resolve `localhost`
    /box/job        the mount point of the tmpfs of a job that may write
    /tmp            a link to the shared memory, where a job that has it may put files

At `confined` and `none` the same tree is a folder of symbolic links. In each job Landlock then
refuses every file that no link leads to.
"""

import json
import os
import shutil
import stat
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from torchstone.core.errors import JudgeUnavailable
from torchstone.core.isolation import Isolation
from torchstone.judge.sandbox.filters import Filter, filter_fd
from torchstone.judge.sandbox.levels import KEPT_CAPABILITIES, Machine
from torchstone.judge.sandbox.visible import Visible

ROOT = Path("/judge")
_BOX = Path("/box")
# Not /dev/zero: no limit of a process counts memory of a shared mapping of it.
_DEVICES = ("/dev/null", "/dev/urandom")
# The mount point of the shared memory of a job that starts workers.
_SHARED = Path("/dev/shm")
# Folder where programs put files without asking for the folder of temporary files. Without it, a
# program that waits for another program's file there would wait forever.
_TEMPORARY = Path("/tmp")
# Files that resolve `localhost`, for jobs that have a loopback.
_NAMES = {
    Path("/etc") / name: Path(__file__).parent / "names" / name
    for name in ("hosts", "nsswitch.conf")
}
# Folders inside the standard library that are not part of it; ensurepip has wheels of pip.
_NOT_STDLIB = ("site-packages", "dist-packages", "ensurepip")
# Reference implementations of operators in Python, which a submission could copy.
_HIDDEN = (
    "torch/_refs",
    "torch/_decomp",
    "torch/_prims",
    "torch/_inductor",
    "torch/masked",
    "torch/testing",
    "torch/autograd/gradcheck.py",
)
_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    # Each case frees and allocates large tensors; keeping their pages, instead of returning them to
    # the kernel, halves the time of the large cases.
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(512 << 20),
    "MALLOC_TOP_PAD_": str(16 << 20),
    "THP_MEM_ALLOC_ENABLE": "1",
    # c10d warns of each address without a name; that is not part of the learner's output.
    "TORCH_CPP_LOG_LEVEL": "ERROR",
    "PYTHONHASHSEED": "random",
    "PYTHONDONTWRITEBYTECODE": "1",
    "LC_ALL": "C.UTF-8",
    "HOME": "/nonexistent",
    "USER": "job",
}
# -I ignores PYTHONDONTWRITEBYTECODE, hence -B; -S keeps site-packages off the import path.
# -u: a job is killed after its answer, so its output must not be buffered.
_FLAGS = ("-I", "-S", "-B", "-u", "-X", "utf8")
_BOOT = (
    "import json, runpy, sys; settings = json.loads(sys.argv[1]); "
    "sys.path[:0] = settings['import_path']; "
    "runpy.run_module(settings['module'], run_name='__main__', alter_sys=True)"
)


class Role(StrEnum):
    """Owner of the code that a zygote runs."""

    SUBMISSION = "submission"
    REFERENCE = "reference"


# By name, because modules that run in a sandbox are imported nowhere else.
_SERVERS = {Role.SUBMISSION: "", Role.REFERENCE: "torchstone.judge.reference.server"}
UID_BASES = {Role.SUBMISSION: 61_000, Role.REFERENCE: 61_100}
"""The uid of slot 0 where few uids are mapped; systemd allocates uids from 61184 on."""
# systemd allocates none of these uids. Each judge takes a block of them, so that the kernel does
# not count its tasks together with those of another judge on this machine.
_UIDS, _UID_BLOCK = range(65_536, 524_288), 1024
_UID_OFFSETS = {Role.SUBMISSION: 0, Role.REFERENCE: 256}


def uid_base(role: Role, uid_map: str, pid: int) -> int:
    """Return the uid of slot 0 where the judge may change uids.

    Args:
        role: The role whose jobs have the uid.
        uid_map: The text of ``/proc/self/uid_map``.
        pid: The PID of the judge, which determines its block of uids.
    """
    rows = (map(int, row.split()) for row in uid_map.splitlines())
    if not any(first <= _UIDS[0] and _UIDS[-1] < first + count for first, _, count in rows):
        return UID_BASES[role]
    return _UIDS[pid * _UID_BLOCK % len(_UIDS)] + _UID_OFFSETS[role]


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """Command that starts a zygote, and its resources.

    The zygote gets `settings` as JSON in `sys.argv[1]`. The keys:
        level, role, control_fd: as in the arguments of `zygote_parent_command`.
        server: the module that serves the jobs of the role; empty where `child.zygote.job` does.
        module, import_path: the module to run; the folders of `child`, torch and NumPy.
        filter_fds: kind -> file descriptor of the seccomp filter; read it to its end.
        read_only, read_write, hide: the arguments of `child.confinement.confine.landlock_ruleset`.
        namespaces: whether the zygote can take the steps that need CAP_SYS_ADMIN.
        uid_base: the uid of slot 0, or null if a job keeps the zygote's uid.
        box: the folder for jobs that may write (a mount point if `namespaces`).
        leave: the binds of the other roles; the zygote unmounts them.

    A zygote parent gets `module`, `import_path` and `roles`: one such object for each role.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    pass_fds: tuple[int, ...]
    settings: Mapping[str, object]
    _owned_fds: tuple[int, ...] = ()
    _folder: Path | None = field(default=None)

    def close(self) -> None:
        """Release the resources of the command; call this when the zygote has ended."""
        for fd in self._owned_fds:
            os.close(fd)
        if self._folder is not None:
            shutil.rmtree(self._folder)


def zygote_parent_command(
    level: Isolation,
    *,
    machine: Machine,
    visible: Visible,
    control_fds: Mapping[Role, int],
    binds: Mapping[Role, Mapping[str, Path]],
    runtime: Path,
    same_name: Collection[Path] = (),
    module: str = "child.zygote.zygote_parent",
) -> Launch:
    """Build the command of a zygote parent: one process that imports torch and forks all zygotes.

    The zygotes share torch's pages. Before it serves, a zygote unmounts the binds of the other
    roles in its own mount namespace.

    Args:
        level: The isolation level.
        machine: The features of this machine.
        visible: The files that the interpreter needs.
        control_fds: For each role its zygote's end of the control socket.
        binds: For each role its files: name below `/judge` -> file or folder.
        runtime: A private folder for the symbolic links of level `confined`.
        same_name: Folders that all zygotes see under the same path as on this machine.
        module: The module that the process runs.

    Raises:
        JudgeUnavailable: A listed file does not exist, or the uid of a job cannot read it.
    """
    parts = _Parts(level, machine, visible, runtime, same_name)
    launch = parts.launch(module, control_fds, binds)
    return parts.finish(launch.settings, launch)


class _Parts:
    """Builder of the common parts of a sandbox's command."""

    def __init__(
        self,
        level: Isolation,
        machine: Machine,
        visible: Visible,
        runtime: Path,
        same_name: Collection[Path] = (),
    ) -> None:
        self._level, self._machine, self._visible = level, machine, visible
        self._same_name = same_name
        self._runtime = runtime
        self._walled = level.is_at_least(Isolation.NAMESPACES)
        self._changes_uid = self._walled and not machine.user_namespace

    def launch(
        self, module: str, control_fds: Mapping[Role, int], binds: Mapping[Role, Mapping[str, Path]]
    ) -> Launch:
        """Collect the settings and descriptors; `finish` adds the arguments."""
        everything = {name: path for each in binds.values() for name, path in each.items()}
        self._shown = _shown(self._visible)
        self._shown |= {ROOT / name: path for name, path in everything.items()}
        self._shown |= {path: path for path in self._same_name}
        if self._walled:
            self._shown |= _NAMES
        _require_readable(self._visible, everything.values(), by_others=self._changes_uid)
        folder = None if self._walled else _link_tree(self._shown, self._runtime)
        self._root = ROOT if folder is None else folder / ROOT.name
        self._box = _BOX if folder is None else folder / _BOX.name
        roles: dict[str, dict[str, object]] = {}
        owned: list[int] = []
        for role, control_fd in control_fds.items():
            filter_fds = _filter_fds(role) if self._level is not Isolation.NONE else {}
            owned += filter_fds.values()
            foreign = everything.keys() - binds[role].keys()
            roles[role] = self._settings(role, control_fd, filter_fds, foreign)
        settings = {"module": module, "roles": roles, "import_path": self._import_path()}
        return Launch(
            argv=(),
            env={},
            pass_fds=(*control_fds.values(), *owned),
            settings=settings,
            _owned_fds=tuple(owned),
            _folder=folder,
        )

    def finish(self, settings: Mapping[str, object], launch: Launch) -> Launch:
        """Add the command that starts Python with these settings."""
        run = (*_FLAGS, "-c", _BOOT, json.dumps(settings))
        if not self._walled:
            argv = (str(self._visible.python), *run)
            return replace(launch, argv=argv, env=_environment(self._box), settings=settings)
        outside = _bubblewrap(self._machine, self._shown, self._visible)
        inside = str(_inside(self._visible.python))
        return replace(launch, argv=(*outside, inside, *run), settings=settings)

    def _import_path(self) -> list[str]:
        return [str(self._root), str(self._root / "site")]

    def _settings(
        self, role: Role, control_fd: int, filter_fds: dict[str, int], foreign: Collection[str]
    ) -> dict[str, object]:
        # Bubblewrap hides these folders of the standard library; without it Landlock hides them.
        among = [] if self._walled else [str(self._visible.stdlib / name) for name in _NOT_STDLIB]
        hide = _hidden(self._root, self._visible) if role is Role.SUBMISSION else []
        shown = [path for path in self._shown if path not in {ROOT / name for name in foreign}]
        return {
            "level": self._level,
            "role": role,
            "server": _SERVERS[role],
            "control_fd": control_fd,
            "import_path": self._import_path(),
            "filter_fds": filter_fds,
            "read_only": [str(_within(path, self._root)) for path in shown] + list(_DEVICES),
            "read_write": [str(self._box)],
            "hide": [*among, *hide],
            "hide_always": among,
            "leave": [str(ROOT / name) for name in sorted(foreign)] if self._walled else [],
            "namespaces": self._walled,
            "uid_base": self._uid_base(role),
            "box": str(self._box / "job" if self._walled else self._box),
        }

    def _uid_base(self, role: Role) -> int | None:
        if not self._changes_uid:
            return None
        uid_map = Path("/proc/self/uid_map").read_text(encoding="ascii")
        return uid_base(role, uid_map, os.getpid())


def _environment(box: Path) -> dict[str, str]:
    return _ENVIRONMENT | {"TMPDIR": str(box), "TORCHINDUCTOR_CACHE_DIR": str(box)}


def _inside(path: Path) -> Path:
    return ROOT / "python" / "bin" / path.name


def _within(path: Path, root: Path) -> Path:
    return root / path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def _shown(visible: Visible) -> dict[Path, Path]:
    """Return the file or folder shown under each name inside the sandbox."""
    shown = {
        _inside(visible.python): visible.python,
        ROOT / "python" / "lib" / visible.stdlib.name: visible.stdlib,
        visible.loader: visible.loader.resolve(),
    }
    for library in visible.libraries:
        shown[ROOT / "lib" / library.name] = library.resolve()
    for package in visible.packages:
        shown[ROOT / "site" / package.name] = package
    # Folder in which the run paths of torch's libraries, and torch on `sys.path`, find them.
    for name, library in visible.site_libraries.items():
        shown[ROOT / "site" / name] = library.resolve()
    return shown


def _bubblewrap(machine: Machine, shown: Mapping[Path, Path], visible: Visible) -> list[str]:
    """Return the arguments of bubblewrap, without the program that it runs."""
    argv = [str(machine.bwrap), "--die-with-parent", "--new-session", "--clearenv"]
    argv += ["--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    argv += ["--unshare-cgroup-try", "--hostname", "judge"]
    if machine.user_namespace:
        # Without a user namespace the uid of a job is a real uid, whose tasks the kernel counts.
        # Mounts are made before a uid changes.
        argv += ["--unshare-user", "--uid", "1000", "--gid", "1000"]
    argv += KEPT_CAPABILITIES
    environment = _environment(_BOX / "job") | {"LD_LIBRARY_PATH": str(ROOT / "lib")}
    for name, value in environment.items():
        argv += ["--setenv", name, value]
    folders = _folders_of([*shown, *map(Path, _DEVICES), _BOX / "job", _SHARED / "job"])
    for folder in folders:
        argv += ["--dir", str(folder)]
    # Omitted if a shown folder is below it, where nothing can be written.
    if _TEMPORARY not in folders:
        argv += ["--symlink", str(_SHARED), str(_TEMPORARY)]
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
    """Return the parent folders of some paths, outermost first.

    Bubblewrap would create them with mode 0700, which the uid of a job cannot enter.
    """
    folders = {parent for path in paths for parent in path.parents} - {Path("/")}
    return sorted(folders)


def _require_readable(visible: Visible, binds: Collection[Path], *, by_others: bool) -> None:
    """Raise if a file cannot be read, before a job would fail because of it."""
    for path in binds:
        if not path.exists():
            raise JudgeUnavailable("judge.sandbox.missing_file", path=path)
    if not by_others:
        return
    private = [*visible.private, *(path for path in binds if not _is_open_to_others(path))]
    if private:
        raise JudgeUnavailable("judge.sandbox.private_file", path=private[0])


def _is_open_to_others(path: Path) -> bool:
    required = stat.S_IROTH | (stat.S_IXOTH if path.is_dir() else 0)
    if path.stat().st_mode & required != required:
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
    is_reference = role is Role.REFERENCE
    of_submissions = [name for name in Filter if name not in (Filter.REFERENCE, Filter.COMPILER)]
    names = [Filter.REFERENCE] if is_reference else of_submissions
    return {name: filter_fd(name) for name in names}


def _hidden(root: Path, visible: Visible) -> list[str]:
    """Return the sources that a submission may not read, by their names in the sandbox."""
    site = {package.name: package.parent for package in visible.packages}
    names = [
        name
        for name in _HIDDEN
        if (top := name.partition("/")[0]) in site and (site[top] / name).exists()
    ]
    return [str(root / "site" / name) for name in names]
