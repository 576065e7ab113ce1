"""Confine the calling process, one small step a function.

The zygote prepares what is costly once (`landlock_ruleset`, `prepare_seccomp`, `PidNamespaces`);
each forked job then takes the cheap steps. Preparation also matters for the audit hook: after it is
armed no function of this module creates a ctypes object or looks up a symbol, which the hook would
take for the submission's doing.

Order in a job, because each step removes what an earlier one needs: `join_cgroup`, `enter_job`,
`set_rlimits`, `drop_privileges`, `bind_lifetime`, `landlock_restrict`, `load_seccomp`.
"""

import ctypes
import errno
import os
import resource
import signal
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import PurePath

BOX = "/box/job"
"""Where a job that may write has its directory.

Landlock walks from a mount's root to the parent of its mount point, so the rule has to lie on
`/box`.
"""

_CLONE_NEWNS = 0x00020000
_CLONE_NEWUTS = 0x04000000
_CLONE_NEWIPC = 0x08000000
_CLONE_NEWPID = 0x20000000

_MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 0x2, 0x4, 0x8
_MS_REC, _MS_PRIVATE = 0x4000, 0x40000
_MNT_DETACH = 2

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_SECCOMP = 22
_PR_SET_NO_NEW_PRIVS = 38
_PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_CLEAR_ALL = 4
_SECCOMP_MODE_FILTER = 2

PID_SENTINEL = 0x7E57A1D0
"""Stands for the job's own pid in an exported filter; no kernel hands out a pid this large."""

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long
_prctl = _LIBC.prctl
_prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
_unshare = _LIBC.unshare
_setns = _LIBC.setns
_mount = _LIBC.mount
_mount.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_ulong, ctypes.c_char_p]
_umount2 = _LIBC.umount2
_capset = _LIBC.capset
_syscall = _LIBC.syscall


def _check(result: int, what: str) -> int:
    """Turn a C call's -1 into an OSError that names the step."""
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


# --- namespaces -----------------------------------------------------------------------------------


class PidNamespaces:
    """Give every fork of the zygote a PID namespace of its own.

    `unshare(CLONE_NEWPID)` changes where the *next* child is born and may be done once only; going
    back to our own namespace through a pidfd makes it repeatable. The child is process 1 of its
    namespace: when it dies the kernel kills whatever it left behind. As process 1 it ignores
    signals it has no handler for, SIGXCPU and SIGXFSZ included, so a CPU limit shows as SIGKILL at
    the hard limit and a file limit as EFBIG.
    """

    def __init__(self) -> None:
        """Remember the namespace to go back to."""
        self._own = os.pidfd_open(os.getpid())

    def fork(self) -> int:
        """Fork into a fresh PID namespace.

        Returns:
            0 in the child; the child's pid, as the zygote sees it, in the zygote.

        Raises:
            OSError: CAP_SYS_ADMIN is missing or a kernel limit on namespaces is reached.
        """
        _check(_unshare(_CLONE_NEWPID), "unshare(CLONE_NEWPID)")
        try:
            pid = os.fork()
        except OSError:
            self._go_back()
            raise
        if pid == 0:
            os.close(self._own)
        else:
            self._go_back()
        return pid

    def _go_back(self) -> None:
        _check(_setns(self._own, _CLONE_NEWPID), "setns(own PID namespace)")


def make_mounts_private() -> None:
    """Cut mount propagation, once in the zygote, so that no job's mount can travel.

    Raises:
        OSError: CAP_SYS_ADMIN is missing.
    """
    _check(_mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None), "make / private")


def leave_proc() -> None:
    """Detach /proc, which torch reads while it is imported and which no job may see.

    Raises:
        OSError: /proc is not mounted or CAP_SYS_ADMIN is missing.
    """
    _check(_umount2(b"/proc", _MNT_DETACH), "umount /proc")


def enter_job(*, box_bytes: int = 0, box_inodes: int = 0, uid: int | None = None) -> None:
    """Take namespaces for mounts, IPC and host name; mount the job's own tmpfs if it may write.

    Args:
        box_bytes: Size of the tmpfs at `BOX`; 0 gives the job no writable directory.
        box_inodes: How many files and directories the tmpfs may hold.
        uid: Owner of the tmpfs; None keeps the caller's.

    Raises:
        OSError: A namespace or the mount was refused.
    """
    _check(_unshare(_CLONE_NEWNS | _CLONE_NEWIPC | _CLONE_NEWUTS), "unshare(mount, IPC, UTS)")
    if not box_bytes:
        return
    owner = os.getuid() if uid is None else uid
    # Mode 0755: the zygote, root without CAP_DAC_OVERRIDE, has to step in before the uid changes.
    # Nobody else sees this mount.
    options = f"size={box_bytes},nr_inodes={box_inodes},mode=0755,uid={owner}".encode()
    flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    _check(_mount(b"tmpfs", BOX.encode(), b"tmpfs", flags, options), f"mount tmpfs at {BOX}")
    os.chdir(BOX)


# --- limits ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Rlimits:
    """Limits of one process; None leaves a limit as it is."""

    cpu_s: int | None = None
    address_space_bytes: int | None = None
    data_bytes: int | None = None
    stack_bytes: int | None = None
    file_bytes: int | None = 0
    num_files: int | None = 64
    num_processes: int | None = None
    core_bytes: int | None = 0
    locked_bytes: int | None = 0
    message_queue_bytes: int | None = 0


_RESOURCES = {
    "cpu_s": resource.RLIMIT_CPU,
    "address_space_bytes": resource.RLIMIT_AS,
    "data_bytes": resource.RLIMIT_DATA,
    "stack_bytes": resource.RLIMIT_STACK,
    "file_bytes": resource.RLIMIT_FSIZE,
    "num_files": resource.RLIMIT_NOFILE,
    "num_processes": resource.RLIMIT_NPROC,
    "core_bytes": resource.RLIMIT_CORE,
    "locked_bytes": resource.RLIMIT_MEMLOCK,
    "message_queue_bytes": resource.RLIMIT_MSGQUEUE,
}


def set_rlimits(limits: Rlimits) -> None:
    """Lower the soft and hard limits; a limit that is already lower stays.

    Note:
        `num_processes` counts all tasks of the uid. It bites only after `drop_privileges`, and at
        level `confined` it would count the user's other processes too: leave it None there, seccomp
        refuses to fork anyway.

    Raises:
        OSError: The kernel refused a limit.
    """
    for field in fields(limits):
        wanted = getattr(limits, field.name)
        if wanted is None:
            continue
        _, hard = resource.getrlimit(_RESOURCES[field.name])
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(_RESOURCES[field.name], (value, value))


def join_cgroup(procs_fds: Sequence[int]) -> None:
    """Move this process into cgroups whose `cgroup.procs` the host opened for it.

    Raises:
        OSError: The kernel refused the move.
    """
    for fd in procs_fds:
        os.write(fd, b"0")


# --- privileges -----------------------------------------------------------------------------------


class _CapHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


_CAP_HEADER = _CapHeader(0x20080522, 0)
_NO_CAPS = (ctypes.c_uint32 * 6)()


def drop_privileges(uid: int | None) -> None:
    """Become `uid` (None: stay who we are), lose every capability, and never gain one again.

    Raises:
        OSError: The kernel refused a step.
    """
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    _check(_prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0), "clear ambient caps")
    _check(_capset(ctypes.byref(_CAP_HEADER), _NO_CAPS), "drop capabilities")
    _check(_prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "set no_new_privs")


def bind_lifetime() -> None:
    """Die with the parent and refuse to be traced or dumped; a change of uid resets both.

    Raises:
        OSError: The kernel refused a step.
    """
    _check(_prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "set parent-death signal")
    _check(_prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0), "clear dumpable")


def close_other_fds(keep: Iterable[int]) -> None:
    """Close every file descriptor that is not in `keep`."""
    low = 0
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    for fd in sorted(set(keep)):
        # closerange(0, 0) would close everything: CPython passes the kernel 0 to -1.
        if low < fd:
            os.closerange(low, fd)
        low = fd + 1
    os.closerange(low, max(low, limit))


# --- Landlock -------------------------------------------------------------------------------------

_LANDLOCK_CREATE, _LANDLOCK_ADD_RULE, _LANDLOCK_RESTRICT = 444, 445, 446
_RULE_PATH_BENEATH = 1
_VERSION_FLAG = 1

_WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_TRUNCATE = 1 << 14
_READ = _READ_FILE | _READ_DIR
_WRITE = _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _TRUNCATE
_FILE_RIGHTS = _WRITE_FILE | _READ_FILE | _TRUNCATE
# How many filesystem rights each ABI knows; the last entry holds for every later one.
_NUM_FS_RIGHTS = (13, 14, 15, 15, 16)


class _RulesetAttr(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def landlock_abi() -> int:
    """Ask the kernel for its Landlock ABI; 0 where there is none."""
    return max(0, int(_syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), _VERSION_FLAG)))


def landlock_ruleset(
    read_only: Iterable[str], read_write: Iterable[str] = (), hide: Iterable[str] = ()
) -> int:
    """Build the ruleset that every job of this zygote applies with `landlock_restrict`.

    Landlock can only grant, so a directory with something hidden in it is granted entry by entry.
    Such a directory can still be listed (the import system does), but nothing hidden in it can be
    read. A hidden `x.py` hides its bytecode too. A path that does not exist is an error: a typing
    mistake must not widen or narrow silently.

    Args:
        read_only: Files and directories a job may read.
        read_write: Directories in which a job may also make, change and remove plain files and
            directories.
        hide: Absolute paths below `read_only` that stay unreadable.

    Returns:
        A file descriptor, close-on-exec.

    Raises:
        OSError: A path does not exist or the kernel has no Landlock (ENOSYS, EOPNOTSUPP).
    """
    abi = landlock_abi()
    if abi < 1:
        raise OSError(errno.EOPNOTSUPP, "Landlock is not available in this kernel")
    handled = (1 << _NUM_FS_RIGHTS[min(abi, len(_NUM_FS_RIGHTS)) - 1]) - 1
    attr = _RulesetAttr(handled, 0b11 if abi >= 4 else 0, 0b11 if abi >= 6 else 0)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    ruleset = _check(
        _syscall(_LANDLOCK_CREATE, ctypes.byref(attr), ctypes.c_size_t(size), 0), "landlock create"
    )
    hidden = _Hidden(hide)
    for path in read_only:
        for granted, rights in hidden.grants(os.path.realpath(path)):
            _add_rule(ruleset, granted, rights)
    for path in read_write:
        _add_rule(ruleset, os.path.realpath(path), handled & (_READ | _WRITE))
    return ruleset


class _Hidden:
    """Which paths to leave out, and which directories must be opened up to leave them out."""

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
        result = _syscall(_LANDLOCK_ADD_RULE, ruleset, _RULE_PATH_BENEATH, ctypes.byref(rule), 0)
        _check(result, f"landlock rule for {path}")
    finally:
        os.close(fd)


def landlock_restrict(ruleset: int) -> None:
    """Apply a ruleset to this thread; needs `drop_privileges` first.

    Besides the file rules this refuses TCP (ABI 4), abstract sockets and signals to outside (ABI
    6).

    Raises:
        OSError: no_new_privs is not set or sixteen layers are stacked already.
    """
    _check(_syscall(_LANDLOCK_RESTRICT, ruleset, 0), "landlock restrict")


# --- seccomp --------------------------------------------------------------------------------------


class _SockFilter(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("jt", ctypes.c_uint8),
        ("jf", ctypes.c_uint8),
        ("k", ctypes.c_uint32),
    )


class _SockFprog(ctypes.Structure):
    _fields_ = (("len", ctypes.c_ushort), ("filter", ctypes.POINTER(_SockFilter)))


class SeccompProgram:
    """A filter in the shape the kernel takes, with the places where the own pid belongs."""

    def __init__(self, bpf: bytes) -> None:
        """Copy the exported filter and find its sentinels."""
        size = ctypes.sizeof(_SockFilter)
        if not bpf or len(bpf) % size:
            raise ValueError(f"seccomp filter: {len(bpf)} bytes is no multiple of {size}")
        self._instructions = (_SockFilter * (len(bpf) // size)).from_buffer_copy(bpf)
        self._pid_places = [i for i in self._instructions if i.k == PID_SENTINEL]
        pointer = ctypes.cast(self._instructions, ctypes.POINTER(_SockFilter))
        self._program = _SockFprog(len(self._instructions), pointer)
        self._address = ctypes.cast(ctypes.pointer(self._program), ctypes.c_void_p).value

    def load(self) -> None:
        """Install the filter in the calling thread."""
        pid = os.getpid()
        for place in self._pid_places:
            place.k = pid
        result = _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, self._address, 0, 0)
        _check(result, "load seccomp filter")


def prepare_seccomp(bpf: bytes) -> SeccompProgram:
    """Prepare an exported filter in the zygote, so that a job only has to load it.

    Raises:
        ValueError: The bytes are not a classic BPF program.
    """
    return SeccompProgram(bpf)


def load_seccomp(program: SeccompProgram) -> None:
    """Install a prepared filter in this thread and in all it will start; it cannot be taken off.

    Raises:
        OSError: no_new_privs is not set or the kernel rejects the program.
    """
    program.load()
