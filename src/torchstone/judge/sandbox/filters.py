"""Seccomp filters: the system calls that each kind of job may make.

A filter is a list of permitted calls. A call that is not in the list fails with EPERM, which honest
libraries handle. A call that only an attack makes kills the job, so the verdict can name it. The
numbers come from the tables of libseccomp. The result is classic BPF, which `child.confine` loads.
"""

import errno
import functools
import os
import platform
import termios
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

PID_SENTINEL = 0x7E57A1D0
"""A placeholder for the pid of the job; `child.confine` has the same number."""


class Kind(StrEnum):
    """Name the list of calls of a process."""

    PYTHON = "python"
    SCRIPT = "script"
    REFERENCE = "reference"
    NATIVE = "native"
    COMPILER = "compiler"
    DISTRIBUTED = "distributed"
    RANK = "rank"
    SERIES = "series"
    LOADER = "loader"
    WORKER = "worker"
    LAUNCHER = "launcher"
    LAUNCHED = "launched"


class Arch(StrEnum):
    """List the architectures that the filters support, as `platform.machine()` spells them."""

    X86_64 = "x86_64"
    AARCH64 = "aarch64"


# Calls of the interpreter and of torch on a CPU: reading files, memory, time, waiting and threads.
# Memory that is writable and executable at once stays permitted: oneDNN writes its kernels for
# convolutions and bfloat16 into such pages at the first call, and fails without them.
_ALLOWED = """
    read pread64 readv preadv preadv2 write writev pwrite64 pwritev close lseek fstat stat lstat
    newfstatat statx access faccessat faccessat2 readlink readlinkat getcwd getdents64 fstatfs
    dup dup2 dup3 pipe2 poll ppoll select pselect6 epoll_create1 epoll_ctl epoll_wait epoll_pwait
    eventfd2 fadvise64
    brk mprotect mremap munmap membarrier rseq
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack
    alarm setitimer getitimer pause restart_syscall
    futex set_robust_list get_robust_list set_tid_address gettid arch_prctl exit exit_group
    sched_yield sched_getaffinity sched_getparam sched_getscheduler sched_get_priority_max
    sched_get_priority_min getcpu
    clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time times getrandom
    getpid getppid getuid geteuid getgid getegid getresuid getresgid getgroups getpgrp getpgid
    getsid getrlimit getrusage uname sysinfo umask
    recvfrom recvmsg sendto sendmsg shutdown getsockopt
""".split()

# Files in the one writable directory that Landlock permits.
_WRITING = """
    mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 truncate ftruncate fallocate
    fsync fdatasync flock chdir fchdir utimensat chmod fchmod fchmodat copy_file_range sendfile
    sync_file_range
""".split()

# Starting other programs, which a compiler driver does for every step. From Python 3.13 on,
# `subprocess` uses posix_spawn, where glibc closes descriptors only with close_range.
_STARTING = """
    execve fork vfork wait4 pipe setsid setpgid close_range
""".split()

# A program that starts workers may wait for their end by a descriptor; of the calls that take one,
# only those that wait are permitted. Process 1 of the job counts with it, and what is open.
_WATCHING = ["pidfd_open"]
_COUNTING = [*_WATCHING, "kcmp"]

# The store of a process group asks for it, and does without; elsewhere only an attack does.
_RING = ["io_uring_setup"]

# No library makes these calls in a job. Such a call kills the job, which is the clearest report.
_HOSTILE = """
    ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_open pidfd_getfd
    pidfd_send_signal bpf perf_event_open userfaultfd keyctl add_key request_key mount umount2
    move_mount open_tree fsopen fsconfig fsmount fspick mount_setattr pivot_root chroot unshare
    setns io_uring_setup io_uring_enter io_uring_register io_setup io_submit init_module
    finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff personality
    open_by_handle_at name_to_handle_at quotactl acct settimeofday clock_settime clock_adjtime
    adjtimex sethostname setdomainname iopl ioperm modify_ldt syslog vhangup lookup_dcookie
    fanotify_init move_pages migrate_pages memfd_secret execve execveat
""".split()

# Sockets of the process group, in a network namespace that has only a loopback.
_NETWORK = """
    connect bind listen accept accept4 getsockname getpeername setsockopt epoll_create
""".split()

# A program that starts workers as multiprocessing does: it waits for them and ends them. It reaches
# no process but those of its own job, which has a PID namespace of its own.
_WORKERS = """
    fork wait4 waitid kill tgkill setsid setpgid socketpair statfs link linkat
    connect bind listen accept accept4 getsockname getpeername setsockopt
""".split()

_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK, _NETLINK_ROUTE = 1, 2, 10, 16, 0
_SOCK_STREAM, _SOCK_RAW, _SOCK_TYPE = 1, 3, 0xF
# The process that forks the ranks, and that confines each of them further.
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP = 1, 4, 22

# Shared memory without a file that a program with workers may map at once: a counter, a flag.
_SHARED_AT_MOST = (1 << 16) - 1
_LONG = 0xFFFFFFFFFFFFFFFF

_CLONE_THREAD = 0x00010000
_CLONE_NAMESPACES = 0x7E020000
_INT = 0xFFFFFFFF
_LAUNCHES = {Kind.LAUNCHER, Kind.LAUNCHED}
_WORKS = {Kind.LOADER, Kind.WORKER, *_LAUNCHES}
_WRITERS = {Kind.SCRIPT, Kind.SERIES, Kind.NATIVE, Kind.COMPILER, *_WORKS}

_O_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_O_TMPFILE = 0o20000000

_PR_SET_NAME, _PR_GET_NAME, _PR_GET_DUMPABLE, _PR_GET_SECCOMP = 15, 16, 3, 21
_PR_SET_VMA = 0x53564D41
_PRCTLS = (_PR_SET_NAME, _PR_GET_NAME, _PR_GET_DUMPABLE, _PR_GET_SECCOMP, _PR_SET_VMA)

_FIONBIO, _FIONREAD, _FIOCLEX, _FIONCLEX = 0x5421, 0x541B, 0x5451, 0x5450
_IOCTLS = (termios.TCGETS, termios.TIOCGWINSZ, _FIONBIO, _FIONREAD, _FIOCLEX, _FIONCLEX)

_MAP_TYPE, _MAP_PRIVATE, _MAP_SHARED, _MAP_SHARED_VALIDATE = 0x0F, 0x02, 0x01, 0x03
_MAP_ANONYMOUS = 0x20

# The advice of madvise, but for what moves memory out of the count of a process while it is still
# there: MADV_MERGEABLE (12), MADV_COLD (20) and MADV_PAGEOUT (21).
_ADVICE = (0, 1, 2, 3, 4, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18, 19, 22, 23, 25)

_F_DUPFD, _F_GETFD, _F_SETFD, _F_GETFL, _F_SETFL = 0, 1, 2, 3, 4
_F_DUPFD_CLOEXEC, _F_GETLK, _F_SETLK, _F_SETLKW = 1030, 5, 6, 7
_FCNTLS = (_F_DUPFD, _F_GETFD, _F_SETFD, _F_GETFL, _F_SETFL, _F_DUPFD_CLOEXEC)
_LOCKS = (_F_GETLK, _F_SETLK, _F_SETLKW)


# The calls among the hostile ones by which a kind watches its processes.
_WATCHES = {Kind.LOADER: _COUNTING, Kind.WORKER: _WATCHING, Kind.LAUNCHER: _WATCHING}
# Those that a kind makes for another reason, or tries.
_TRIES = {Kind.COMPILER: _STARTING, Kind.LAUNCHER: _RING, Kind.LAUNCHED: _RING}


@dataclass(frozen=True, slots=True)
class _Rule:
    """Hold the action for one call, with conditions on its arguments: (index, mask, value)."""

    call: str
    conditions: tuple[tuple[int, int, int], ...] = ()
    errno: int | None = None


def export_filter(kind: Kind, arch: Arch | None = None) -> bytes:
    """Build the filter of one kind of job.

    The pid of the job is not known yet, so the filter contains `PID_SENTINEL` in its place.

    Args:
        kind: The list of calls.
        arch: The architecture of the job; None means this machine's.

    Returns:
        A classic BPF program: an array of `struct sock_filter`.

    Raises:
        ImportError: libseccomp or its Python binding is not installed.
        ValueError: There is no filter for this machine's architecture.
    """
    return _export(kind, arch or Arch(platform.machine()))


@functools.cache
def _export(kind: Kind, arch: Arch) -> bytes:
    # The import loads libseccomp.so, which a machine at level `none` does not have.
    import pyseccomp

    native = {Arch.X86_64: pyseccomp.Arch.X86_64, Arch.AARCH64: pyseccomp.Arch.AARCH64}[arch]
    program = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.EPERM))
    program.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.KILL_PROCESS)
    # A balanced tree of comparisons instead of a list, because some hundred calls are permitted.
    program.set_attr(pyseccomp.Attr.CTL_OPTIMIZE, 2)
    if not program.exist_arch(native):
        program.add_arch(native)
        program.remove_arch(pyseccomp.Arch.NATIVE)
    for rule in _rules(kind):
        action = pyseccomp.ALLOW if rule.errno is None else pyseccomp.ERRNO(rule.errno)
        _add(program, pyseccomp, native, action, rule)
    own = [*_WATCHES.get(kind, []), *_TRIES.get(kind, [])]
    for call in (call for call in _HOSTILE if call not in own):
        _add(program, pyseccomp, native, pyseccomp.KILL_PROCESS, _Rule(call))
    return _bytes_of(program)


def _add(program: Any, pyseccomp: Any, native: int, action: int, rule: _Rule) -> None:
    if pyseccomp.resolve_syscall(native, rule.call) < 0:
        # libseccomp has a negative number for a call that the architecture lacks, as open on arm.
        return
    conditions = [
        pyseccomp.Arg(index, pyseccomp.MASKED_EQ, mask, value)
        for index, mask, value in rule.conditions
    ]
    # The number of this machine; libseccomp translates it to the target architecture.
    number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, rule.call)
    program.add_rule(action, number, *conditions)


def filter_fd(kind: Kind) -> int:
    """Return a descriptor from which a new process reads its filter."""
    fd = os.memfd_create(f"seccomp-{kind}")
    os.write(fd, export_filter(kind))
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _bytes_of(program: Any) -> bytes:
    fd = os.memfd_create("seccomp")
    with os.fdopen(fd, "rb") as file:
        program.export_bpf(file)
        file.seek(0)
        return file.read()


def _rules(kind: Kind) -> Iterator[_Rule]:
    """Yield all rules of a kind."""
    for call in _ALLOWED:
        yield _Rule(call)
    writes = kind in _WRITERS
    yield from _mapping(kind)
    yield from _opening(writing=writes)
    yield from _tasks()
    for advice in _ADVICE:
        yield _Rule("madvise", ((2, _INT, advice),))
    for option in _PRCTLS:
        yield _Rule("prctl", ((0, _INT, option),))
    for request in _IOCTLS:
        yield _Rule("ioctl", ((1, _INT, request),))
    for command in _FCNTLS:
        yield _Rule("fcntl", ((1, _INT, command),))
    yield from _own(kind)
    if writes:
        for call in _WRITING:
            yield _Rule(call)
        for command in _LOCKS:
            yield _Rule("fcntl", ((1, _INT, command),))


def _own(kind: Kind) -> Iterator[_Rule]:
    """Yield the rules that only one kind needs."""
    if kind is Kind.NATIVE:
        # The simulator keeps a poison pattern in a memfd and maps it into large buffers.
        yield _Rule("memfd_create")
    if kind is Kind.COMPILER:
        for call in _STARTING:
            yield _Rule(call)
        yield _Rule("clone", ((0, _CLONE_NAMESPACES, 0),))
    if kind in (Kind.SCRIPT, Kind.SERIES, Kind.COMPILER, *_LAUNCHES):
        # Programs that copy a file call these. They accept only ENOTSUP as "no attributes".
        for call in ("listxattr", "llistxattr", "flistxattr"):
            yield _Rule(call, errno=errno.ENOTSUP)
    if kind in (Kind.DISTRIBUTED, Kind.RANK, *_LAUNCHES):
        yield from _networking()
    if kind in _WORKS:
        yield from _working(kind)
    if kind in (Kind.DISTRIBUTED, Kind.SERIES, Kind.LOADER, Kind.LAUNCHER):
        yield from _forking(kind)
    if kind in _LAUNCHES:
        yield _Rule("io_uring_setup", errno=errno.ENOSYS)


def _networking() -> Iterator[_Rule]:
    """Yield the rules for TCP; another kind of socket would be a channel that nothing counts."""
    for call in _NETWORK:
        yield _Rule(call)
    # gloo lists the interfaces. An ordinary user reaches only the kernel by this protocol.
    netlink = ((0, _INT, _AF_NETLINK), (1, _SOCK_TYPE, _SOCK_RAW), (2, _INT, _NETLINK_ROUTE))
    yield _Rule("socket", netlink)
    for family in (_AF_INET, _AF_INET6):
        yield _Rule("socket", ((0, _INT, family), (1, _SOCK_TYPE, _SOCK_STREAM)))


def _working(kind: Kind) -> Iterator[_Rule]:
    """Yield the rules of a program that starts workers, and of process 1, which counts them."""
    for call in [*_WORKERS, *_WATCHES.get(kind, [])]:
        yield _Rule(call)
    yield _Rule("clone", ((0, _CLONE_NAMESPACES, 0),))
    yield _Rule("socket", ((0, _INT, _AF_UNIX),))
    yield _Rule("prctl", ((0, _INT, _PR_SET_PDEATHSIG),))


def _forking(kind: Kind) -> Iterator[_Rule]:
    """Yield the rules of a process that forks others; it runs no code of a submission.

    A rank or a run inherits them and adds the filter of its own kind. It may only do what both
    permit.
    """
    for call in ("wait4", "kill", "tgkill", "socketpair", "fork"):
        yield _Rule(call)
    yield _Rule("clone", ((0, _CLONE_NAMESPACES, 0),))
    for option in (_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP):
        yield _Rule("prctl", ((0, _INT, option),))
    yield _Rule("prlimit64", ((0, _INT, 0),))
    if kind is Kind.LAUNCHER:
        # Only the first of the processes that it forks may write.
        yield _Rule("landlock_restrict_self")


def _mapping(kind: Kind) -> Iterator[_Rule]:
    """Yield the rules for mapping memory: private memory, and files that exist without the job.

    A limit of the process counts private memory. Shared memory without a file is counted only by a
    control group, which not every level has. So it is refused, with the error of a process that is
    out of memory. Native code has a memfd, of which it maps private copies only.
    """
    yield _Rule("mmap", ((3, _MAP_TYPE, _MAP_PRIVATE),))
    is_native = kind is Kind.NATIVE
    if kind in _WORKS:
        for shared in (_MAP_SHARED, _MAP_SHARED_VALIDATE):
            yield _Rule("mmap", ((3, _MAP_TYPE | _MAP_ANONYMOUS, shared),))
        few = (1, _LONG & ~_SHARED_AT_MOST, 0)
        yield _Rule("mmap", (few, (3, _MAP_TYPE | _MAP_ANONYMOUS, _MAP_SHARED | _MAP_ANONYMOUS)))
        return
    mask = _MAP_TYPE if is_native else _MAP_TYPE | _MAP_ANONYMOUS
    for shared in (_MAP_SHARED, _MAP_SHARED_VALIDATE):
        refused = shared if is_native else shared | _MAP_ANONYMOUS
        yield _Rule("mmap", ((3, mask, refused),), errno=errno.ENOMEM)
        if not is_native:
            yield _Rule("mmap", ((3, mask, shared),))


def _opening(*, writing: bool) -> Iterator[_Rule]:
    """Yield the rules for opening files: for reading only, unless the kind may write.

    A filter cannot read the flags of `openat2`, which are behind a pointer. glibc falls back to
    `openat`.
    """
    yield _Rule("openat2", errno=errno.ENOSYS)
    refused = _O_TMPFILE & ~os.O_DIRECTORY if writing else _O_WRITING | _O_TMPFILE & ~os.O_DIRECTORY
    yield _Rule("open", ((1, refused, 0),))
    yield _Rule("openat", ((2, refused, 0),))


def _tasks() -> Iterator[_Rule]:
    """Yield the rules for threads, and for signals to the process itself.

    The flags of `clone3` are behind a pointer; after ENOSYS glibc falls back to `clone`.
    """
    yield _Rule("clone3", errno=errno.ENOSYS)
    mask = _CLONE_THREAD | _CLONE_NAMESPACES
    yield _Rule("clone", ((0, mask, _CLONE_THREAD),))
    yield _Rule("kill", ((0, _INT, PID_SENTINEL),))
    yield _Rule("tgkill", ((0, _INT, PID_SENTINEL),))
    yield _Rule("prlimit64", ((0, _INT, 0), (2, 0xFFFFFFFFFFFFFFFF, 0)))
