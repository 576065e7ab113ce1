"""Landlock rulesets: the files that a job may access."""

import ctypes
import errno
import os
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from .libc import LIBC, checked

_LANDLOCK_CREATE, _LANDLOCK_ADD_RULE, _LANDLOCK_RESTRICT = 444, 445, 446
_RULE_PATH_BENEATH = 1
_VERSION_FLAG = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_MAKE_SOCK = 1 << 9
# Moving a file to another directory; the kernel allows it only if the file gains no right by it.
_REFER, _TRUNCATE = 1 << 13, 1 << 14
_READ = _READ_FILE | _READ_DIR
_WRITE = _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _REFER | _TRUNCATE
_TIDY = _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
# Number of filesystem rights of each ABI; the last entry holds for every later one.
_NUM_FS_RIGHTS = (13, 14, 15, 15, 16)


class _RulesetAttr(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def landlock_abi() -> int:
    """Return the kernel's Landlock ABI version; 0 if Landlock is unavailable."""
    return max(0, int(LIBC.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), _VERSION_FLAG)))


def landlock_ruleset(
    read_only: Iterable[str],
    read_write: Iterable[str] = (),
    hide: Iterable[str] = (),
    executable: Iterable[str] = (),
    *,
    tidy: Iterable[str] = (),
    network: bool = False,
    sockets: bool = False,
) -> int:
    """Build the ruleset that every job of this zygote applies with `landlock_restrict`.

    Landlock can only grant, so a directory that contains a hidden path is granted entry by entry.
    Such a directory can still be listed (the import system does), but nothing hidden in it can be
    read. Hiding `x.py` also hides its bytecode. A path that does not exist is an error: a typing
    mistake must not silently change the rights.

    Args:
        read_only: Files and directories that a job may read.
        read_write: Directories in which a job may also create, change, move and remove plain files
            and directories.
        hide: Absolute paths below `read_only` that stay unreadable.
        executable: Files and directories that it may read and run.
        tidy: Directories in which it may create directories and remove entries, but write no file.
        network: Whether it may use TCP: a job in its own network namespace.
        sockets: Whether it may create sockets in the directories of `read_write`.

    Returns:
        A file descriptor, close-on-exec.

    Raises:
        OSError: A path does not exist or the kernel has no Landlock (ENOSYS, EOPNOTSUPP).
    """
    abi = landlock_abi()
    if abi < 1:
        raise OSError(errno.EOPNOTSUPP, "Landlock is not available in this kernel")
    handled = (1 << _NUM_FS_RIGHTS[min(abi, len(_NUM_FS_RIGHTS)) - 1]) - 1
    tcp = 0b11 if abi >= 4 and not network else 0
    attr = _RulesetAttr(handled, tcp, 0b11 if abi >= 6 else 0)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    ruleset = checked(
        LIBC.syscall(_LANDLOCK_CREATE, ctypes.byref(attr), ctypes.c_size_t(size), 0),
        "landlock create",
    )
    hidden = _Hidden(hide)
    for path in read_only:
        for granted, rights in hidden.grants(os.path.realpath(path)):
            _add_rule(ruleset, granted, rights)
    for path in executable:
        _add_rule(ruleset, os.path.realpath(path), handled & (_READ | _EXECUTE))
    writing = _READ | _WRITE | (_MAKE_SOCK if sockets else 0)
    for path in read_write:
        _add_rule(ruleset, os.path.realpath(path), handled & writing)
    for path in tidy:
        _add_rule(ruleset, os.path.realpath(path), handled & (_READ | _TIDY))
    return ruleset


class _Hidden:
    """Paths to leave out, and the directories that are granted entry by entry because of them."""

    def __init__(self, hide: Iterable[str]) -> None:
        self._paths = {os.path.realpath(path) for path in hide}
        self._opened: set[str] = set()
        for path in self._paths:
            self._opened.update(str(parent) for parent in PurePath(path).parents)
            if path.endswith(".py"):
                self._opened.add(os.path.join(os.path.dirname(path), "__pycache__"))

    def _covers(self, path: str) -> bool:
        folder, name = os.path.split(path)
        if os.path.basename(folder) == "__pycache__":
            source = os.path.join(os.path.dirname(folder), name.split(".", 1)[0] + ".py")
            return source in self._paths
        return path in self._paths

    def grants(self, path: str) -> Iterator[tuple[str, int]]:
        """Yield the paths at and below `path` to grant, each with its rights."""
        if self._covers(path):
            return
        if path not in self._opened:
            yield path, _READ
            return
        yield path, _READ_DIR
        for entry in os.scandir(path):
            if not entry.is_symlink():
                yield from self.grants(entry.path)


def _add_rule(ruleset: int, path: str, rights: int) -> None:
    fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = _PathBeneath(rights if os.path.isdir(path) else rights & _FILE_RIGHTS, fd)
        result = LIBC.syscall(
            _LANDLOCK_ADD_RULE, ruleset, _RULE_PATH_BENEATH, ctypes.byref(rule), 0
        )
        checked(result, f"landlock rule for {path}")
    finally:
        os.close(fd)


def landlock_restrict(ruleset: int) -> None:
    """Apply a ruleset to this thread; call `drop_privileges` first.

    It also refuses TCP (ABI 4), and abstract sockets and signals to processes outside (ABI 6).

    Raises:
        OSError: no_new_privs is not set, or sixteen rulesets are stacked already.
    """
    checked(LIBC.syscall(_LANDLOCK_RESTRICT, ruleset, 0), "landlock restrict")
