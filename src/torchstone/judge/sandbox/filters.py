"""Seccomp filters: the system calls that each process may make.

A filter is a list of permitted calls. Any other call fails with EPERM, which libraries handle.
Calls that only an attack makes kill the job, so that the verdict can name them. The numbers come
from the tables of libseccomp. The result is classic BPF, which `child.confinement.confine` loads.
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

from torchstone.judge.sandbox import calls

PID_SENTINEL = 0x7E57A1D0
"""Placeholder for the PID of the job; `child.confinement.confine` has the same number."""


class Filter(StrEnum):
    """Name of the filter of a process."""

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
    """Architectures that the filters support, as `platform.machine()` spells them."""

    X86_64 = "x86_64"
    AARCH64 = "aarch64"


_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK, _NETLINK_ROUTE = 1, 2, 10, 16, 0
_SOCK_STREAM, _SOCK_RAW, _SOCK_TYPE = 1, 3, 0xF
# Options of prctl for the process that forks ranks and confines each of them further.
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP = 1, 4, 22

# Maximum bytes of one anonymous shared mapping of a program with workers: a counter, a flag.
_SHARED_AT_MOST = (1 << 16) - 1
_LONG = 0xFFFFFFFFFFFFFFFF

_CLONE_THREAD = 0x00010000
_CLONE_NAMESPACES = 0x7E020000
_INT = 0xFFFFFFFF

_O_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_O_TMPFILE = 0o20000000

_PR_SET_NAME, _PR_GET_NAME, _PR_GET_DUMPABLE, _PR_GET_SECCOMP = 15, 16, 3, 21
_PR_SET_VMA = 0x53564D41
_PRCTLS = (_PR_SET_NAME, _PR_GET_NAME, _PR_GET_DUMPABLE, _PR_GET_SECCOMP, _PR_SET_VMA)

_FIONBIO, _FIONREAD, _FIOCLEX, _FIONCLEX = 0x5421, 0x541B, 0x5451, 0x5450
_IOCTLS = (termios.TCGETS, termios.TIOCGWINSZ, _FIONBIO, _FIONREAD, _FIOCLEX, _FIONCLEX)

_MAP_TYPE, _MAP_PRIVATE, _MAP_SHARED, _MAP_SHARED_VALIDATE = 0x0F, 0x02, 0x01, 0x03
_MAP_ANONYMOUS = 0x20

# Advice values of madvise, without those that move present memory out of the count of a process:
# MADV_MERGEABLE (12), MADV_COLD (20) and MADV_PAGEOUT (21).
_ADVICE = (0, 1, 2, 3, 4, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18, 19, 22, 23, 25)

_F_DUPFD, _F_GETFD, _F_SETFD, _F_GETFL, _F_SETFL = 0, 1, 2, 3, 4
_F_DUPFD_CLOEXEC, _F_GETLK, _F_SETLK, _F_SETLKW = 1030, 5, 6, 7
_FCNTLS = (_F_DUPFD, _F_GETFD, _F_SETFD, _F_GETFL, _F_SETFL, _F_DUPFD_CLOEXEC)
_LOCKS = (_F_GETLK, _F_SETLK, _F_SETLKW)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """Permissions of a process besides computing.

    Attributes:
        writes: Write files in the folders that Landlock permits.
        copies: Query extended attributes, as programs that copy files do.
        network: Use TCP over the loopback.
        works: Start workers with multiprocessing, and share memory with them.
        leads: Fork processes and confine each of them further; it runs no code of a submission.
        confines: Confine them with Landlock, too.
        compiles: Start other programs.
        simulates: Keep a pattern in a memfd.
        tries_ring: Fail io_uring_setup with ENOSYS, after which the caller falls back.
        watches: Calls of `HOSTILE` that it may use to watch its processes.
    """

    writes: bool = False
    copies: bool = False
    network: bool = False
    works: bool = False
    leads: bool = False
    confines: bool = False
    compiles: bool = False
    simulates: bool = False
    tries_ring: bool = False
    watches: tuple[str, ...] = ()

    @property
    def own(self) -> tuple[str, ...]:
        """Return the calls of `HOSTILE` that this filter does not kill."""
        starting = calls.STARTING if self.compiles else ()
        return (*self.watches, *starting, *(calls.RING if self.tries_ring else ()))


_ROWS = {
    Filter.PYTHON: _Row(),
    Filter.REFERENCE: _Row(),
    Filter.SCRIPT: _Row(writes=True, copies=True),
    Filter.NATIVE: _Row(writes=True, simulates=True),
    Filter.COMPILER: _Row(writes=True, copies=True, compiles=True),
    Filter.DISTRIBUTED: _Row(network=True, leads=True),
    Filter.RANK: _Row(network=True),
    Filter.SERIES: _Row(writes=True, copies=True, leads=True),
    Filter.LOADER: _Row(writes=True, works=True, leads=True, watches=calls.COUNTING),
    Filter.WORKER: _Row(writes=True, works=True, watches=calls.WATCHING),
    # Only the first of its forked processes may write.
    Filter.LAUNCHER: _Row(
        writes=True,
        copies=True,
        network=True,
        works=True,
        leads=True,
        confines=True,
        tries_ring=True,
        watches=calls.WATCHING,
    ),
    Filter.LAUNCHED: _Row(writes=True, copies=True, network=True, works=True, tries_ring=True),
}


@dataclass(frozen=True, slots=True)
class _Rule:
    """Action for one call, with conditions on its arguments: (index, mask, value)."""

    call: str
    conditions: tuple[tuple[int, int, int], ...] = ()
    errno: int | None = None


def export_filter(name: Filter, arch: Arch | None = None) -> bytes:
    """Build a filter.

    The PID of the job is not known yet, so the filter contains `PID_SENTINEL` in its place.

    Args:
        name: The name of the filter.
        arch: The architecture of the job; None means this machine's.

    Returns:
        A classic BPF program: an array of `struct sock_filter`.

    Raises:
        ImportError: libseccomp or its Python binding is not installed.
        ValueError: There is no filter for this machine's architecture.
    """
    return _export(name, arch or Arch(platform.machine()))


@functools.cache
def _export(name: Filter, arch: Arch) -> bytes:
    # The import loads libseccomp.so, which a machine at level `none` may lack.
    import pyseccomp

    native = {Arch.X86_64: pyseccomp.Arch.X86_64, Arch.AARCH64: pyseccomp.Arch.AARCH64}[arch]
    program = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.EPERM))
    program.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.KILL_PROCESS)
    # A balanced tree of comparisons instead of a list, because about a hundred calls are permitted.
    program.set_attr(pyseccomp.Attr.CTL_OPTIMIZE, 2)
    if not program.exist_arch(native):
        program.add_arch(native)
        program.remove_arch(pyseccomp.Arch.NATIVE)
    row = _ROWS[name]
    for rule in _rules(row):
        action = pyseccomp.ALLOW if rule.errno is None else pyseccomp.ERRNO(rule.errno)
        _add(program, pyseccomp, native, action, rule)
    for call in (call for call in calls.HOSTILE if call not in row.own):
        _add(program, pyseccomp, native, pyseccomp.KILL_PROCESS, _Rule(call))
    return _bytes_of(program)


def _add(program: Any, pyseccomp: Any, native: int, action: int, rule: _Rule) -> None:
    if pyseccomp.resolve_syscall(native, rule.call) < 0:
        # libseccomp returns a negative number for a call that the architecture lacks, as open on
        # arm.
        return
    conditions = [
        pyseccomp.Arg(index, pyseccomp.MASKED_EQ, mask, value)
        for index, mask, value in rule.conditions
    ]
    # The number on this machine; libseccomp translates it to the target architecture.
    number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, rule.call)
    program.add_rule(action, number, *conditions)


def filter_fd(name: Filter) -> int:
    """Return a descriptor from which a new process reads its filter."""
    fd = os.memfd_create(f"seccomp-{name}")
    os.write(fd, export_filter(name))
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _bytes_of(program: Any) -> bytes:
    fd = os.memfd_create("seccomp")
    with os.fdopen(fd, "rb") as file:
        program.export_bpf(file)
        file.seek(0)
        return file.read()


def _rules(row: _Row) -> Iterator[_Rule]:
    """Yield all rules of a filter."""
    for call in calls.ALLOWED:
        yield _Rule(call)
    yield from _mapping(row)
    yield from _opening(writing=row.writes)
    yield from _tasks()
    for advice in _ADVICE:
        yield _Rule("madvise", ((2, _INT, advice),))
    for option in _PRCTLS:
        yield _Rule("prctl", ((0, _INT, option),))
    for request in _IOCTLS:
        yield _Rule("ioctl", ((1, _INT, request),))
    for command in _FCNTLS:
        yield _Rule("fcntl", ((1, _INT, command),))
    yield from _own(row)
    if row.writes:
        for call in calls.WRITING:
            yield _Rule(call)
        for command in _LOCKS:
            yield _Rule("fcntl", ((1, _INT, command),))


def _own(row: _Row) -> Iterator[_Rule]:
    """Yield the rules that depend on the permissions of the filter."""
    if row.simulates:
        # The simulator keeps a poison pattern in a memfd and maps it into large buffers.
        yield _Rule("memfd_create")
    if row.compiles:
        for call in calls.STARTING:
            yield _Rule(call)
        yield _Rule("clone", ((0, _CLONE_NAMESPACES, 0),))
    if row.copies:
        # Programs that copy a file call these. They accept only ENOTSUP as "no attributes".
        for call in ("listxattr", "llistxattr", "flistxattr"):
            yield _Rule(call, errno=errno.ENOTSUP)
    if row.network:
        yield from _networking()
    if row.works:
        yield from _working(row)
    if row.leads:
        yield from _forking(row)
    if row.tries_ring:
        yield _Rule("io_uring_setup", errno=errno.ENOSYS)


def _networking() -> Iterator[_Rule]:
    """Yield the rules for TCP; bytes sent over other sockets would not be counted."""
    for call in calls.NETWORK:
        yield _Rule(call)
    # gloo lists the interfaces; with this protocol an ordinary user reaches only the kernel.
    netlink = ((0, _INT, _AF_NETLINK), (1, _SOCK_TYPE, _SOCK_RAW), (2, _INT, _NETLINK_ROUTE))
    yield _Rule("socket", netlink)
    for family in (_AF_INET, _AF_INET6):
        yield _Rule("socket", ((0, _INT, family), (1, _SOCK_TYPE, _SOCK_STREAM)))


def _working(row: _Row) -> Iterator[_Rule]:
    """Yield the rules of a program that starts workers, and of process 1, which counts them."""
    for call in (*calls.WORKERS, *row.watches):
        yield _Rule(call)
    yield _Rule("clone", ((0, _CLONE_NAMESPACES, 0),))
    yield _Rule("socket", ((0, _INT, _AF_UNIX),))
    yield _Rule("prctl", ((0, _INT, _PR_SET_PDEATHSIG),))


def _forking(row: _Row) -> Iterator[_Rule]:
    """Yield the rules of a process that forks others; it runs no code of a submission.

    A rank or a run inherits them and adds its own filter, so it may only do what both permit.
    """
    for call in ("wait4", "kill", "tgkill", "socketpair", "fork"):
        yield _Rule(call)
    yield _Rule("clone", ((0, _CLONE_NAMESPACES, 0),))
    for option in (_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP):
        yield _Rule("prctl", ((0, _INT, option),))
    yield _Rule("prlimit64", ((0, _INT, 0),))
    if row.confines:
        yield _Rule("landlock_restrict_self")


def _mapping(row: _Row) -> Iterator[_Rule]:
    """Yield the rules for mapping memory: private memory, and files that exist outside the job.

    A limit of the process counts private memory. Anonymous shared memory is counted only by a
    cgroup, which not every level has, so it is refused with the error of a process out of memory.
    Native code has a memfd, of which it maps only private copies.
    """
    yield _Rule("mmap", ((3, _MAP_TYPE, _MAP_PRIVATE),))
    if row.works:
        for shared in (_MAP_SHARED, _MAP_SHARED_VALIDATE):
            yield _Rule("mmap", ((3, _MAP_TYPE | _MAP_ANONYMOUS, shared),))
        few = (1, _LONG & ~_SHARED_AT_MOST, 0)
        yield _Rule("mmap", (few, (3, _MAP_TYPE | _MAP_ANONYMOUS, _MAP_SHARED | _MAP_ANONYMOUS)))
        return
    mask = _MAP_TYPE if row.simulates else _MAP_TYPE | _MAP_ANONYMOUS
    for shared in (_MAP_SHARED, _MAP_SHARED_VALIDATE):
        refused = shared if row.simulates else shared | _MAP_ANONYMOUS
        yield _Rule("mmap", ((3, mask, refused),), errno=errno.ENOMEM)
        if not row.simulates:
            yield _Rule("mmap", ((3, mask, shared),))


def _opening(*, writing: bool) -> Iterator[_Rule]:
    """Yield the rules for opening files: for reading only, unless ``writing``.

    A filter cannot read the flags of `openat2`, which are behind a pointer; glibc falls back to
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
