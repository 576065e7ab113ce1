import ctypes
import errno
import mmap
import os
import subprocess
import sys

import pytest

from tests.judge.sandbox import bpf
from torchstone.judge.child.confinement import confine
from torchstone.judge.sandbox.filters import PID_SENTINEL, Arch, Filter, export_filter

pyseccomp = pytest.importorskip("pyseccomp", exc_type=(ImportError, RuntimeError))

pytestmark = pytest.mark.pure

_AUDIT = {Arch.X86_64: 0xC000003E, Arch.AARCH64: 0xC00000B7}
_AUDIT_I386, _AUDIT_ARM = 0x40000003, 0x40000028
_SECCOMP_ARCH = {Arch.X86_64: pyseccomp.Arch.X86_64, Arch.AARCH64: pyseccomp.Arch.AARCH64}

EPERM = bpf.errno_action(errno.EPERM)
ENOMEM = bpf.errno_action(errno.ENOMEM)
ENOSYS = bpf.errno_action(errno.ENOSYS)
KILL = bpf.KILL_PROCESS
ALLOW = bpf.ALLOW

_READ_ONLY = os.O_RDONLY | os.O_CLOEXEC
_UNKNOWN = 4000
_THREAD_FLAGS = 0x3D0F00


# What one kind may do besides: the simulator maps a pattern of poison; the driver of a compiler
# starts its steps, in no namespace of their own.
_WORKING = ("fork", "clone", "kill", "tgkill", "socketpair", "connect", "linkat")
_STARTING = ("execve", "fork", "vfork", "clone", "close_range")
OWN = {
    Filter.NATIVE: ("memfd_create",),
    Filter.COMPILER: _STARTING,
    # A rank has the filter of the process that forks it, and its own upon it.
    Filter.DISTRIBUTED: ("fork", "clone", "kill", "tgkill", "socketpair", "connect"),
    Filter.RANK: ("connect",),
    # The process that starts a script again and again, and its stem.
    Filter.SERIES: ("fork", "clone", "kill", "tgkill", "socketpair"),
    # Process 1 of a job that starts workers, and the program that starts them.
    Filter.LOADER: (*_WORKING, "pidfd_open", "kcmp"),
    Filter.WORKER: (*_WORKING, "pidfd_open"),
    # A script that is launched as ranks, which may start workers.
    Filter.LAUNCHER: (*_WORKING, "pidfd_open"),
    Filter.LAUNCHED: _WORKING,
}
# Calls of a kind with just these arguments.
_LEADING = [("prctl", (4, 1)), ("prlimit64", (0, 7, 1 << 40))]
OWN_WITH = dict.fromkeys(
    (Filter.DISTRIBUTED, Filter.SERIES, Filter.LOADER, Filter.LAUNCHER), _LEADING
)
WORKING = (Filter.LOADER, Filter.WORKER, Filter.LAUNCHER, Filter.LAUNCHED)
NAMESPACES = 0x7E020000


def answer(arch: Arch, kind: Filter, call: str, *args: int) -> int:
    number = pyseccomp.resolve_syscall(_SECCOMP_ARCH[arch], call)
    # libseccomp numbers what an architecture lacks negatively; its kernel does not know it.
    number = number if number >= 0 else _UNKNOWN
    program = export_filter(kind, arch)
    return bpf.verdict(program, audit_arch=_AUDIT[arch], number=number, args=args)


@pytest.fixture(params=list(Arch), ids=str)
def arch(request: pytest.FixtureRequest) -> Arch:
    return Arch(request.param)


@pytest.mark.parametrize("kind", list(Filter))
@pytest.mark.parametrize(
    ("flags", "wanted"),
    [
        (mmap.MAP_PRIVATE, ALLOW),
        (mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, ALLOW),
        (mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4010, ALLOW),
        (mmap.MAP_SHARED | mmap.MAP_ANONYMOUS, ENOMEM),
        (0x03 | mmap.MAP_ANONYMOUS, ENOMEM),
        (mmap.MAP_SHARED | mmap.MAP_ANONYMOUS | 0x40000, ENOMEM),
        (mmap.MAP_SHARED, None),
        (0x03, None),
        (0, EPERM),
    ],
)
def test_memory_that_no_limit_counts_is_not_mapped(
    arch: Arch, kind: Filter, flags: int, wanted: int | None
) -> None:
    # A file that is mapped takes no memory of its own, but a memfd does.
    of_file = ENOMEM if kind is Filter.NATIVE else ALLOW
    found = answer(arch, kind, "mmap", 0, 1 << 30, 3, flags, 5, 0)
    if wanted == ENOMEM and kind in WORKING:
        wanted = EPERM
    assert found == (of_file if wanted is None else wanted)


@pytest.mark.parametrize(("size", "wanted"), [(8, ALLOW), ((1 << 16) - 1, ALLOW), (1 << 16, EPERM)])
def test_workers_share_a_small_map_without_a_file(arch: Arch, size: int, wanted: int) -> None:
    flags = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS
    assert answer(arch, Filter.WORKER, "mmap", 0, size, 3, flags, -1, 0) == wanted


@pytest.mark.full
@pytest.mark.parametrize("kind", list(Filter))
@pytest.mark.parametrize(
    ("call", "args", "wanted"),
    [
        ("read", (), ALLOW),
        ("futex", (), ALLOW),
        ("openat", (0, 0, _READ_ONLY), ALLOW),
        ("openat", (0, 0, 0o20200000 | os.O_RDWR), EPERM),
        ("openat2", (), ENOSYS),
        ("clone", (_THREAD_FLAGS,), ALLOW),
        ("clone", (17,), EPERM),
        ("clone", (_THREAD_FLAGS | 0x20000000,), EPERM),
        ("clone3", (), ENOSYS),
        ("fork", (), EPERM),
        ("vfork", (), EPERM),
        ("kill", (PID_SENTINEL, 9), ALLOW),
        ("kill", (PID_SENTINEL + 1, 9), EPERM),
        ("kill", (-1, 9), EPERM),
        ("tgkill", (PID_SENTINEL, 5, 9), ALLOW),
        ("tgkill", (1, 1, 9), EPERM),
        ("tkill", (1, 9), EPERM),
        ("prctl", (15,), ALLOW),
        ("prctl", (4, 1), EPERM),
        ("ioctl", (0, 0x5412), EPERM),
        ("fcntl", (0, 8, 1), EPERM),
        ("prlimit64", (0, 7, 0), ALLOW),
        ("prlimit64", (0, 7, 1 << 40), EPERM),
        ("prlimit64", (1, 7, 0), EPERM),
        ("setrlimit", (), EPERM),
        ("socket", (), EPERM),
        ("socketpair", (), EPERM),
        ("connect", (), EPERM),
        ("memfd_create", (), EPERM),
        ("close_range", (), EPERM),
        ("shmget", (), EPERM),
        ("mq_open", (), EPERM),
        ("semget", (), EPERM),
        ("msgget", (), EPERM),
        ("symlinkat", (), EPERM),
        ("linkat", (), EPERM),
        ("mknodat", (), EPERM),
        ("setuid", (), EPERM),
        ("capset", (), EPERM),
        ("seccomp", (), EPERM),
        ("inotify_init1", (), EPERM),
        ("execve", (), KILL),
        ("execveat", (), KILL),
        ("ptrace", (), KILL),
        ("process_vm_writev", (), KILL),
        ("bpf", (), KILL),
        ("mount", (), KILL),
        ("unshare", (), KILL),
        ("setns", (), KILL),
        ("keyctl", (), KILL),
        ("userfaultfd", (), KILL),
        ("io_uring_setup", (), KILL),
        ("perf_event_open", (), KILL),
        ("init_module", (), KILL),
        ("kexec_load", (), KILL),
        ("pidfd_getfd", (), KILL),
        ("personality", (), KILL),
    ],
)
def test_every_kind_gets_the_same_answer(
    arch: Arch, kind: Filter, call: str, args: tuple[int, ...], wanted: int
) -> None:
    is_clone_of_namespaces = call == "clone" and bool(args[0] & NAMESPACES)
    is_own = call in OWN.get(kind, ()) or (call, args) in OWN_WITH.get(kind, ())
    if is_own and not is_clone_of_namespaces:
        lacking = pyseccomp.resolve_syscall(_SECCOMP_ARCH[arch], call) < 0
        wanted = wanted if lacking else ALLOW
    if call == "io_uring_setup" and kind in (Filter.LAUNCHER, Filter.LAUNCHED):
        wanted = ENOSYS
    assert answer(arch, kind, call, *args) == wanted


@pytest.mark.parametrize("arch", Arch)
@pytest.mark.parametrize(
    ("args", "wanted"),
    [
        ((2, 1, 0), ALLOW),
        ((10, 1 | 0o2004000, 6), ALLOW),
        ((16, 3 | 0o2000000, 0), ALLOW),
        ((2, 2, 0), EPERM),
        ((2, 3, 0), EPERM),
        ((1, 1, 0), EPERM),
        ((16, 3, 2), EPERM),
        ((17, 3, 0), EPERM),
    ],
)
def test_a_rank_has_only_the_sockets_of_gloo(
    arch: Arch, args: tuple[int, ...], wanted: int
) -> None:
    assert answer(arch, Filter.RANK, "socket", *args) == wanted
    assert answer(arch, Filter.PYTHON, "socket", *args) == EPERM
    is_local = args[0] == 1
    assert answer(arch, Filter.LAUNCHED, "socket", *args) == (ALLOW if is_local else wanted)
    assert answer(arch, Filter.WORKER, "socket", *args) == (ALLOW if is_local else EPERM)


@pytest.mark.parametrize(
    ("call", "args"),
    [
        ("openat", (0, 0, os.O_WRONLY)),
        ("openat", (0, 0, os.O_RDWR)),
        ("openat", (0, 0, os.O_CREAT)),
        ("openat", (0, 0, os.O_TRUNC)),
        ("mkdirat", ()),
        ("unlinkat", ()),
        ("ftruncate", ()),
        ("fcntl", (0, 6)),
    ],
)
def test_only_a_script_may_write(arch: Arch, call: str, args: tuple[int, ...]) -> None:
    for kind in (Filter.SCRIPT, Filter.SERIES, Filter.NATIVE, Filter.COMPILER):
        assert answer(arch, kind, call, *args) == ALLOW
    assert answer(arch, Filter.PYTHON, call, *args) == EPERM
    assert answer(arch, Filter.REFERENCE, call, *args) == EPERM


@pytest.mark.parametrize("call", ["execve", "execveat", "io_uring_enter", "ptrace", "unshare"])
def test_a_launch_executes_no_program(arch: Arch, call: str) -> None:
    for kind in (Filter.LAUNCHER, Filter.LAUNCHED):
        assert answer(arch, kind, call) == KILL


def test_the_store_of_a_launch_asks_for_a_ring_and_does_without(arch: Arch) -> None:
    for kind in (Filter.LAUNCHER, Filter.LAUNCHED):
        assert answer(arch, kind, "io_uring_setup") == ENOSYS
    assert answer(arch, Filter.RANK, "io_uring_setup") == KILL


def test_only_the_leader_of_a_launch_restricts_others(arch: Arch) -> None:
    assert answer(arch, Filter.LAUNCHER, "landlock_restrict_self") == ALLOW
    assert answer(arch, Filter.LAUNCHED, "landlock_restrict_self") == EPERM


def test_the_old_open_call_is_held_to_the_same_flags() -> None:
    assert answer(Arch.X86_64, Filter.PYTHON, "open", 0, _READ_ONLY) == ALLOW
    assert answer(Arch.X86_64, Filter.PYTHON, "open", 0, os.O_WRONLY) == EPERM
    assert answer(Arch.X86_64, Filter.SCRIPT, "open", 0, os.O_WRONLY) == ALLOW


@pytest.mark.parametrize(
    ("arch", "audit_arch", "number"),
    [
        (Arch.X86_64, _AUDIT_I386, 20),
        (Arch.X86_64, _AUDIT[Arch.X86_64], 0x40000000 | 39),
        (Arch.X86_64, _AUDIT[Arch.AARCH64], 172),
        (Arch.AARCH64, _AUDIT_ARM, 20),
    ],
)
def test_another_abi_ends_the_job(arch: Arch, audit_arch: int, number: int) -> None:
    program = export_filter(Filter.PYTHON, arch)
    assert bpf.verdict(program, audit_arch=audit_arch, number=number) == KILL


def test_an_unknown_call_is_refused(arch: Arch) -> None:
    program = export_filter(Filter.PYTHON, arch)
    assert bpf.verdict(program, audit_arch=_AUDIT[arch], number=_UNKNOWN) == EPERM


def test_the_upper_half_of_an_int_argument_is_ignored_as_the_kernel_ignores_it(arch: Arch) -> None:
    assert answer(arch, Filter.PYTHON, "kill", 1 << 32 | PID_SENTINEL, 9) == ALLOW
    assert answer(arch, Filter.PYTHON, "ioctl", 0, 1 << 32 | 0x5412) == EPERM


def test_host_and_job_agree_on_where_the_pid_belongs(arch: Arch) -> None:
    assert confine.PID_SENTINEL == PID_SENTINEL
    words = memoryview(export_filter(Filter.PYTHON, arch)).cast("I")
    assert PID_SENTINEL in words


def test_a_machine_without_a_table_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(ValueError, match="riscv64"):
        export_filter(Filter.PYTHON)


# What `subprocess` does from Python 3.13 on, where the C library can close the other descriptors.
# A compiler's sandbox shows no /proc/self/fd, from which it would read which ones there are.
_SPAWN = """
import ctypes, os, sys
from torchstone.judge.child.confinement import confine

libc = ctypes.CDLL(None)
actions = ctypes.create_string_buffer(256)
libc.posix_spawn_file_actions_init(actions)
libc.posix_spawn_file_actions_addclosefrom_np(actions, 3)
arguments = (ctypes.c_char_p * 2)(b"/bin/true", None)
seen = [path for path in ("/usr", "/bin", "/lib", "/lib64") if os.path.exists(path)]
ruleset = confine.landlock_ruleset([], executable=seen)
confine.drop_privileges(None)
confine.landlock_restrict(ruleset)
confine.load_seccomp(confine.prepare_seccomp(bytes.fromhex(sys.argv[1])))
pid = ctypes.c_int()
status = libc.posix_spawn(ctypes.byref(pid), b"/bin/true", actions, None, arguments, None)
print(status or os.waitpid(pid.value, 0)[1])
"""


@pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "posix_spawn_file_actions_addclosefrom_np")
    or not confine.landlock_abi(),
    reason="the C library is older than glibc 2.34, or the kernel has no Landlock",
)
def test_a_compiler_starts_programs_as_newer_pythons_do() -> None:
    program = export_filter(Filter.COMPILER).hex()
    command = [sys.executable, "-c", _SPAWN, program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "0\n", done.stderr
