"""Cgroups: limits on the memory and the number of tasks of a group of processes.

A resource limit counts one process. A cgroup counts a zygote together with all its jobs.
"""

import contextlib
import errno
import os
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class CgroupKind(StrEnum):
    """Interface in which this process can create cgroups."""

    V1 = "v1"
    V2 = "v2"


ROOT = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
_CONTROLLERS = ("memory", "pids")
_HOST_LEAF = "torchstone-host"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cgroup:
    """Folders of a cgroup: one under v2, one for each controller under v1, memory first."""

    kind: CgroupKind
    folders: tuple[Path, ...]

    def open_procs(self) -> tuple[int, ...]:
        """Open the files through which a job joins the cgroup.

        `child.confinement.confine.join_cgroup` uses them.
        The kernel checks the permissions of the process that opens them, so the job needs none.
        """
        return tuple(
            os.open(folder / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC) for folder in self.folders
        )

    def add(self, pid: int) -> None:
        """Move a process into the cgroup; its later children start in it."""
        for folder in self.folders:
            _write(folder / "cgroup.procs", pid)

    def peak_bytes(self) -> int:
        """Return the peak memory use of the cgroup in bytes."""
        name = "memory.max_usage_in_bytes" if self.kind is CgroupKind.V1 else "memory.peak"
        return int((self.folders[0] / name).read_text())

    def num_oom_kills(self) -> int:
        """Return the number of processes of the cgroup that were killed for lack of memory."""
        name = "memory.oom_control" if self.kind is CgroupKind.V1 else "memory.events"
        pairs = dict(line.split() for line in (self.folders[0] / name).read_text().splitlines())
        return int(pairs.get("oom_kill", "0"))

    def num_processes(self) -> int:
        """Return the number of processes in the cgroup."""
        return len((self.folders[0] / "cgroup.procs").read_text().split())

    def remove(self, *, patience_s: float = 0.0) -> None:
        """Remove the cgroup.

        Args:
            patience_s: Maximum seconds to wait for processes that are ending.

        Raises:
            OSError: A process is still in the cgroup.
        """
        deadline = time.monotonic() + patience_s
        for folder in self.folders:
            while True:
                try:
                    folder.rmdir()
                    break
                except OSError as error:
                    is_ending = error.errno in (errno.EBUSY, errno.ENOTEMPTY)
                    if not is_ending or time.monotonic() > deadline:
                        raise
                    time.sleep(0.005)  # version 1 does not notify when a cgroup becomes empty


def create_group(
    kind: CgroupKind,
    name: str,
    *,
    memory_bytes: int,
    num_tasks: int,
    root: Path = ROOT,
    own: Path = OWN,
) -> Cgroup:
    """Create a cgroup below the cgroup of this process, and set its limits.

    Args:
        kind: The result of `usable_kind`.
        name: The name of the new folder, which must not exist.
        memory_bytes: The limit for all its processes together, including page cache and tmpfs.
        num_tasks: The limit for processes and threads together.
        root: The folder in which the hierarchies are mounted.
        own: The file that lists the cgroups of this process.

    Raises:
        OSError: The kernel refused; no folder is left.
    """
    folders = tuple(parent / name for parent in parents(kind, root, own))
    limits: Mapping[str, int] = (
        {"memory.limit_in_bytes": memory_bytes, "pids.max": num_tasks}
        if kind is CgroupKind.V1
        else {"memory.max": memory_bytes, "pids.max": num_tasks}
    )
    group = Cgroup(kind=kind, folders=folders)
    with contextlib.ExitStack() as undo:
        for folder in folders:
            folder.mkdir()
            undo.callback(folder.rmdir)
        for file, value in limits.items():
            _write(_home_of(file, folders), value)
        _forbid_swap(group, memory_bytes)
        undo.pop_all()
    return group


def usable_kind(root: Path = ROOT, own: Path = OWN) -> CgroupKind | None:
    """Return the interface in which both limits can be set, by trying; None if there is none."""
    for kind in CgroupKind:
        try:
            if kind is CgroupKind.V2:
                _enable_controllers(root, own)
            name = f"torchstone-probe-{secrets.token_hex(8)}"
            group = create_group(kind, name, memory_bytes=1 << 30, num_tasks=64, root=root, own=own)
        except (OSError, KeyError):
            continue
        group.remove()
        return kind
    return None


def parents(kind: CgroupKind, root: Path, own: Path) -> tuple[Path, ...]:
    """Return the folder of this process's cgroup, or its parent if this process is in a leaf."""
    paths = _own_paths(own)
    if kind is CgroupKind.V1:
        return tuple(root / name / paths[name] for name in _CONTROLLERS)
    folder = root / paths[""]
    return (folder.parent if folder.name == _HOST_LEAF else folder,)


def _own_paths(own: Path) -> dict[str, str]:
    """Parse `/proc/self/cgroup`: controller -> cgroup; v2 has the empty controller name."""
    paths: dict[str, str] = {}
    for line in own.read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            paths[controller] = path.lstrip("/")
    return paths


def _enable_controllers(root: Path, own: Path) -> None:
    """Enable the controllers memory and pids for child cgroups.

    Under v2 a cgroup that enables controllers for its children must contain no process, so this
    process first moves to a leaf. This succeeds only in a cgroup delegated to this process alone.
    """
    (folder,) = parents(CgroupKind.V2, root, own)
    offered = (folder / "cgroup.controllers").read_text().split()
    if not set(_CONTROLLERS) <= set(offered):
        raise FileNotFoundError(f"{folder} offers {offered}; it needs {_CONTROLLERS}")
    control = folder / "cgroup.subtree_control"
    if set(_CONTROLLERS) <= set(control.read_text().split()):
        return
    leaf = folder / _HOST_LEAF
    leaf.mkdir(exist_ok=True)
    _write(leaf / "cgroup.procs", os.getpid())
    control.write_text(" ".join(f"+{name}" for name in _CONTROLLERS))


def _home_of(file: str, folders: tuple[Path, ...]) -> Path:
    """Return the file of a limit; v1 has one folder for each of `_CONTROLLERS`."""
    if len(folders) == 1:
        return folders[0] / file
    return folders[_CONTROLLERS.index(file.partition(".")[0])] / file


def _forbid_swap(group: Cgroup, memory_bytes: int) -> None:
    """Limit memory and swap together; do nothing if the kernel does not count swap."""
    is_v1 = group.kind is CgroupKind.V1
    file = group.folders[0] / ("memory.memsw.limit_in_bytes" if is_v1 else "memory.swap.max")
    if file.exists():
        _write(file, memory_bytes if is_v1 else 0)


def _write(path: Path, value: int) -> None:
    path.write_text(f"{value}\n")
