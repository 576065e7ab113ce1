"""Cgroup of a slot, held under a lock and created again if another process removed it.

A host holds a lock (``flock``) on the folders of its cgroups. The kernel releases it when the host
ends, in whatever PID namespace it ran. So a cgroup without a lock holder belongs to a host that has
ended, and any other host may remove it. A PID would not identify the host: each PID namespace has
its own.
"""

import contextlib
import fcntl
import os
import secrets
from pathlib import Path

from torchstone.judge.sandbox import cgroups
from torchstone.judge.sandbox.cgroups import Cgroup, CgroupKind, create_group

PREFIX = "torchstone-slot-"
# A sweep can remove a group between its creation and its lock.
NUM_TRIES = 20


class SlotGroup:
    """Cgroup of a slot.

    Attributes:
        group: The cgroup, which exists unless another process removed it since ``ensure``.
    """

    def __init__(
        self,
        kind: CgroupKind,
        *,
        memory_bytes: int,
        num_tasks: int,
        root: Path = cgroups.ROOT,
        own: Path = cgroups.OWN,
    ) -> None:
        """Create the cgroup and lock it; for the arguments see ``create_group``.

        Raises:
            OSError: The kernel refused.
        """
        self._kind = kind
        self._memory_bytes = memory_bytes
        self._num_tasks = num_tasks
        self._root = root
        self._own = own
        self._locks: tuple[int, ...] = ()
        self.group = self._make()

    def ensure(self) -> bool:
        """Create the cgroup again if another process removed it; return whether it was gone.

        Raises:
            OSError: The kernel refused.
        """
        if _is_there(self.group, self._locks):
            return False
        self._give_up()
        self.group = self._make()
        return True

    def num_oom_kills(self) -> int:
        """Return the number of out-of-memory kills in the cgroup; 0 if it is gone."""
        try:
            return self.group.num_oom_kills()
        except FileNotFoundError:
            return 0

    def remove(self, *, patience_s: float = 0.0) -> None:
        """Remove the cgroup; see ``Cgroup.remove``."""
        try:
            self.group.remove(patience_s=patience_s)
        finally:
            self._unlock()

    def _make(self) -> Cgroup:
        for tries_left in reversed(range(NUM_TRIES)):
            try:
                group = create_group(
                    self._kind,
                    f"{PREFIX}{secrets.token_hex(8)}",
                    memory_bytes=self._memory_bytes,
                    num_tasks=self._num_tasks,
                    root=self._root,
                    own=self._own,
                )
                self._locks = _lock(group)
            except (FileNotFoundError, BlockingIOError):
                if tries_left == 0:
                    raise
                continue
            if _is_there(group, self._locks):
                return group
            self._unlock()
        raise FileNotFoundError("every new control group was removed at once")

    def _give_up(self) -> None:
        """Remove the rest of a cgroup that another process removed in part."""
        for folder in self.group.folders:
            with contextlib.suppress(OSError):
                folder.rmdir()
        self._unlock()

    def _unlock(self) -> None:
        locks, self._locks = self._locks, ()
        for lock in locks:
            os.close(lock)


def sweep_groups(kind: CgroupKind, root: Path = cgroups.ROOT, own: Path = cgroups.OWN) -> None:
    """Remove cgroups of hosts that have ended; a killed host leaves its cgroups."""
    for parent in cgroups.parents(kind, root, own):
        for folder in parent.glob(f"{PREFIX}*"):
            # The folder is locked or has processes, or another sweep has just removed it.
            with contextlib.suppress(OSError):
                lock = _lock_folder(folder)
                try:
                    folder.rmdir()
                finally:
                    os.close(lock)


def _lock(group: Cgroup) -> tuple[int, ...]:
    with contextlib.ExitStack() as undo:
        locks = []
        for folder in group.folders:
            lock = _lock_folder(folder)
            undo.callback(os.close, lock)
            locks.append(lock)
        undo.pop_all()
    return tuple(locks)


def _lock_folder(folder: Path) -> int:
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    return lock


def _is_there(group: Cgroup, locks: tuple[int, ...]) -> bool:
    """Return whether every locked folder is still at its path."""
    try:
        return all(
            os.path.samestat(folder.stat(), os.fstat(lock))
            for folder, lock in zip(group.folders, locks, strict=True)
        )
    except FileNotFoundError:
        return False
