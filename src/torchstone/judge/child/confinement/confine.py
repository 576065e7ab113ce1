"""Confinement of the calling process: namespaces, mounts, rlimits, cgroup, seccomp.

The zygote prepares the costly parts once (`landlock_ruleset`, `prepare_seccomp`, `PidNamespaces`);
each forked job then takes the cheap steps. Preparation also matters for the audit hook: once it is
armed, no function of this module creates a ctypes object or looks up a symbol, which the hook would
attribute to the submission.

Order in a job, because each step removes what an earlier one needs: `enter_job`, `set_rlimits`,
`drop_privileges`, `bind_lifetime`, `landlock_restrict`, `load_seccomp`.
"""

import ctypes
import fcntl
import os
import resource
import signal
import socket
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from .landlock import landlock_abi, landlock_restrict, landlock_ruleset
from .libc import LIBC, checked

__all__ = [
    "BOX",
    "LOOPBACK",
    "PID_SENTINEL",
    "SHARED",
    "PidNamespaces",
    "Rlimits",
    "SeccompProgram",
    "bind_lifetime",
    "close_other_fds",
    "drop_privileges",
    "enter_job",
    "join_cgroup",
    "landlock_abi",
    "landlock_restrict",
    "landlock_ruleset",
    "leave_proc",
    "load_seccomp",
    "make_mounts_private",
    "prepare_seccomp",
    "set_rlimits",
]

BOX = "/box/job"
"""Mount point of the directory of a job that may write.

Landlock walks from the root of a mount to the parent of its mount point, so the rule must be on
`/box`.
"""

SHARED = "/dev/shm"
"""Mount point of the shared memory of a job with workers; the Landlock rule is on `/dev`."""

LOOPBACK = "127.0.0.1"

_CLONE_NEWNS = 0x00020000
_CLONE_NEWUTS = 0x04000000
_CLONE_NEWIPC = 0x08000000
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWPID = 0x20000000
_CLONE_NEWNET = 0x40000000

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
"""Placeholder for the job's own PID in an exported filter; no kernel uses a PID this large."""

_SIOCSIFFLAGS = 0x8914
_IFF_UP = 0x1

_prctl = LIBC.prctl
_prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
_unshare = LIBC.unshare
_setns = LIBC.setns
_mount = LIBC.mount
_mount.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_ulong, ctypes.c_char_p]
_umount2 = LIBC.umount2
_capset = LIBC.capset


# --- namespaces -----------------------------------------------------------------------------------


class PidNamespaces:
    """PID namespaces for the children of the zygote, one for each fork.

    `unshare(CLONE_NEWPID)` sets the namespace of the *next* child and works only once; returning to
    the zygote's own namespace through a pidfd makes it repeatable. The child is process 1 of its
    namespace: when it ends, the kernel kills all processes left in it. As process 1 it ignores
    signals without a handler, including SIGXCPU and SIGXFSZ, so a CPU limit shows as SIGKILL at the
    hard limit and a file limit as EFBIG.
    """

    def __init__(self) -> None:
        """Open a pidfd of the namespace to return to."""
        self._own = os.pidfd_open(os.getpid())

    def fork(self) -> int:
        """Fork into a fresh PID namespace.

        Returns:
            0 in the child; the child's pid, as the zygote sees it, in the zygote.

        Raises:
            OSError: CAP_SYS_ADMIN is missing or a kernel limit on namespaces is reached.
        """
        checked(_unshare(_CLONE_NEWPID), "unshare(CLONE_NEWPID)")
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
        checked(_setns(self._own, _CLONE_NEWPID), "setns(own PID namespace)")


def make_mounts_private() -> None:
    """Disable mount propagation, once in the zygote, so that mounts of a job stay in the job.

    Raises:
        OSError: CAP_SYS_ADMIN is missing.
    """
    checked(_mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None), "make / private")


def take_own_mounts(leave: Iterable[str] = ()) -> None:
    """Enter a private mount namespace and detach the paths in ``leave``.

    Raises:
        OSError: CAP_SYS_ADMIN is missing, or a listed path is no mount point.
    """
    checked(_unshare(_CLONE_NEWNS), "unshare(mounts)")
    make_mounts_private()
    for path in leave:
        checked(_umount2(os.fsencode(path), _MNT_DETACH), f"umount {path}")


def leave_proc() -> None:
    """Detach /proc, which torch reads during its import and which no job may see.

    Raises:
        OSError: /proc is not mounted or CAP_SYS_ADMIN is missing.
    """
    checked(_umount2(b"/proc", _MNT_DETACH), "umount /proc")


def enter_job(
    *,
    box_bytes: int = 0,
    box_inodes: int = 0,
    uid: int | None = None,
    executable: bool = False,
    network: bool = False,
    shared_bytes: int = 0,
) -> None:
    """Enter mount, IPC and UTS namespaces; mount the job's tmpfs if it may write.

    Args:
        box_bytes: Size of the tmpfs at `BOX`; 0 gives the job no writable directory.
        box_inodes: Maximum number of files and directories of the tmpfs.
        uid: Owner of the tmpfs; None keeps the caller's.
        executable: Whether code may be mapped from the tmpfs.
        network: Whether the job gets its own network namespace, with only a loopback.
        shared_bytes: Size of the tmpfs at `SHARED`; 0 gives the job no named shared memory.

    Raises:
        OSError: A namespace or the mount was refused.
    """
    checked(_unshare(_CLONE_NEWNS | _CLONE_NEWIPC | _CLONE_NEWUTS), "unshare(mount, IPC, UTS)")
    if network:
        _take_own_loopback()
    if not box_bytes:
        return
    owner = os.getuid() if uid is None else uid
    if shared_bytes:
        _mount_tmpfs(SHARED, shared_bytes, box_inodes, owner, _MS_NOEXEC)
    _mount_tmpfs(BOX, box_bytes, box_inodes, owner, 0 if executable else _MS_NOEXEC)
    os.chdir(BOX)


def _mount_tmpfs(path: str, size: int, inodes: int, owner: int, flags: int) -> None:
    # Mode 0755: the zygote, root without CAP_DAC_OVERRIDE, enters before the uid changes. No other
    # process sees this mount.
    options = f"size={size},nr_inodes={inodes},mode=0755,uid={owner}".encode()
    flags |= _MS_NOSUID | _MS_NODEV
    checked(_mount(b"tmpfs", path.encode(), b"tmpfs", flags, options), f"mount tmpfs at {path}")


def _take_own_loopback() -> None:
    """Enter a network namespace that has only a loopback, and bring the loopback up.

    The host name becomes the loopback address: gloo binds to the address of the host name, and
    nothing here resolves other names.
    """
    checked(_unshare(_CLONE_NEWNET), "unshare(network)")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        fcntl.ioctl(sock, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP))
    socket.sethostname(LOOPBACK)


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
        `num_processes` counts all tasks of the uid: those of the job if it has its own uid,
            otherwise every task in the sandbox. It takes effect only after `drop_privileges`. At
            level `confined` it would also count the user's other processes: leave it None there,
            where seccomp refuses to fork anyway.

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


def drop_privileges(uid: int | None, *, count_tasks: bool = False) -> None:
    """Switch to `uid`, drop every capability, and set no_new_privs.

    Args:
        uid: The uid of the job; None keeps the current one.
        count_tasks: Whether to enter a user namespace, in which the kernel counts only the tasks of
            this job; no uid is mapped. If it is refused, the job's own uid serves nearly the same
            purpose.

    Raises:
        OSError: The kernel refused a step.
    """
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    if count_tasks and _unshare(_CLONE_NEWUSER) and uid is None:
        checked(-1, "unshare(user)")
    checked(_prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0), "clear ambient caps")
    checked(_capset(ctypes.byref(_CAP_HEADER), _NO_CAPS), "drop capabilities")
    checked(_prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "set no_new_privs")


def bind_lifetime(*, is_shown: bool = False) -> None:
    """End with the parent and refuse tracing and core dumps; a change of uid resets both.

    Args:
        is_shown: Whether processes with the right to trace (seccomp denies it to jobs) may see the
            open descriptors of this one.

    Raises:
        OSError: The kernel refused a step.
    """
    checked(_prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "set parent-death signal")
    checked(_prctl(_PR_SET_DUMPABLE, int(is_shown), 0, 0, 0), "set dumpable")


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
    """A seccomp filter in the kernel's layout, with the places where the own PID is filled in."""

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
        checked(result, "load seccomp filter")


def prepare_seccomp(bpf: bytes) -> SeccompProgram:
    """Prepare an exported filter in the zygote, so that a job only loads it.

    Raises:
        ValueError: The bytes are not a classic BPF program.
    """
    return SeccompProgram(bpf)


def load_seccomp(program: SeccompProgram) -> None:
    """Install a prepared filter in this thread and its future children; it cannot be removed.

    Raises:
        OSError: no_new_privs is not set or the kernel rejects the program.
    """
    program.load()
