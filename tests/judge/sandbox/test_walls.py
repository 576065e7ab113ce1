"""Each wall of a job is pushed from inside, at every level and as every kind of user."""

import os
import platform
import signal
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

import torchstone
from tests.judge.sandbox.demo_host import DemoHost

pyseccomp = pytest.importorskip("pyseccomp", exc_type=(ImportError, RuntimeError))

pytestmark = [pytest.mark.sandbox, pytest.mark.attack]

PRELUDE = """
import ctypes, errno, os, signal, socket, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)

def attempt(action, *args):
    try:
        action(*args)
    except OSError as error:
        return errno.errorcode[error.errno]
    return "done"

def call(function, *args):
    ctypes.set_errno(0)
    return errno.errorcode[ctypes.get_errno()] if function(*args) == -1 else "done"
"""

REFUSED = {"EPERM", "EACCES", "EROFS", "ENOENT"}


def number(name: str) -> int:
    return int(pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name))


def answer(host: DemoHost, code: str, **job: Any) -> Any:
    given, end = host.run(PRELUDE + code, **job)
    assert os.waitstatus_to_exitcode(end["status"]) == 0, given
    return given


@pytest.mark.parametrize(
    "code",
    [
        "answer = attempt(socket.socket)",
        "answer = attempt(socket.socket, socket.AF_UNIX)",
        "answer = attempt(socket.socketpair)",
        "answer = attempt(os.fork)",
        "import subprocess; answer = attempt(subprocess.run, ['/bin/true'])",
        "answer = attempt(os.memfd_create, 'x')",
        "answer = call(libc.shmget, 1, 4096, 0o1600)",
        "answer = call(libc.semget, 1, 1, 0o1600)",
        "answer = call(libc.msgget, 1, 0o1600)",
        "answer = attempt(os.kill, os.getppid(), 9)",
        "answer = attempt(os.kill, -1, 9)",
        "answer = attempt(os.kill, 0, 9)",
        "answer = attempt(os.setuid, 0)",
        "answer = attempt(os.setsid)",
        "answer = attempt(os.nice, -5)",
        "answer = attempt(os.sched_setaffinity, 0, [0])",
        "answer = call(libc.setrlimit, 7, (ctypes.c_ulong * 2)(9, 9))",
        "import fcntl; answer = attempt(fcntl.ioctl, 0, 0x5412, b'x')",
        "import fcntl; answer = attempt(fcntl.fcntl, 1, fcntl.F_SETOWN, 1)",
        "answer = call(libc.prctl, 4, 1, 0, 0, 0)",
        f"answer = call(libc.syscall, {number('inotify_init1')}, 0, 0)",
    ],
)
def test_a_call_outside_the_list_is_refused(host: DemoHost, code: str) -> None:
    assert answer(host, code) == "EPERM"


@pytest.mark.parametrize(
    "attack",
    [
        "os.execv('/bin/true', ['true'])",
        "libc.ptrace(16, os.getppid(), 0, 0)",
        "libc.process_vm_readv(os.getppid(), 0, 0, 0, 0, 0)",
        "libc.mount(b'none', b'/tmp', b'tmpfs', 0, 0)",
        "libc.umount2(b'/', 2)",
        "libc.unshare(0x10000000)",
        "libc.setns(0, 0)",
        "libc.chroot(b'/')",
        "os.pidfd_open(os.getppid())",
        *(
            f"libc.syscall({number(name)}, 0, 0, 0, 0, 0)"
            for name in (
                "bpf",
                "keyctl",
                "add_key",
                "userfaultfd",
                "io_uring_setup",
                "perf_event_open",
                "memfd_secret",
                "kexec_load",
                "init_module",
                "fsopen",
                "open_tree",
                "open_by_handle_at",
                "pidfd_getfd",
                "personality",
            )
        ),
    ],
)
def test_a_hostile_call_ends_the_job(host: DemoHost, attack: str) -> None:
    _, end = host.run(PRELUDE + attack)
    assert os.waitstatus_to_exitcode(end["status"]) == -signal.SIGSYS


@pytest.mark.skipif(platform.machine() != "x86_64", reason="only x86 has two more ABIs")
@pytest.mark.parametrize(
    "attack",
    [
        "libc.syscall(0x40000000 | 39)",
        # mov eax, 20 (getpid); int 0x80; ret
        "import mmap\n"
        "page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)\n"
        "page.write(bytes([0xB8, 20, 0, 0, 0, 0xCD, 0x80, 0xC3]))\n"
        "ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()",
    ],
    ids=["x32", "i386"],
)
def test_another_abi_ends_the_job(host: DemoHost, attack: str) -> None:
    _, end = host.run(PRELUDE + attack)
    assert os.waitstatus_to_exitcode(end["status"]) == -signal.SIGSYS


def test_clone3_reads_as_unknown_so_that_libraries_fall_back(host: DemoHost) -> None:
    assert answer(host, f"answer = call(libc.syscall, {number('clone3')}, 0, 0)") == "ENOSYS"


@pytest.mark.parametrize(
    "path",
    [
        str(Path(torchstone.__file__)),
        str(Path(torchstone.__file__).parent / "content"),
        __file__,
        "/etc/passwd",
        "/etc/shadow",
        "/proc/self/environ",
        "/proc/1/environ",
        "/sys/kernel",
        "/",
        "/proc",
    ],
)
def test_nothing_of_the_host_is_read(host: DemoHost, path: str) -> None:
    assert answer(host, f"answer = attempt(os.open, {path!r}, os.O_RDONLY)") in REFUSED


@pytest.mark.parametrize("kind", ["python", "script", "bare"])
def test_a_secret_that_anyone_may_read_stays_unread(
    host: DemoHost, tmp_path_factory: pytest.TempPathFactory, kind: str
) -> None:
    folder = tmp_path_factory.mktemp("open")
    for parent in (folder, folder.parent, folder.parent.parent):
        parent.chmod(0o755)
    secret = folder / "secret"
    secret.write_text("17")
    code = f"answer = attempt(os.open, {str(secret)!r}, os.O_RDONLY)"
    assert answer(host, code, kind=kind) in REFUSED


@pytest.mark.parametrize("kind", ["python", "script", "bare"])
@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm", "/judge", "/box", "/dev", "/"])
def test_nothing_outside_the_box_is_written(host: DemoHost, kind: str, folder: str) -> None:
    path = Path(folder) / f"written-{uuid4()}"
    code = f"answer = attempt(os.open, {str(path)!r}, os.O_WRONLY | os.O_CREAT)"
    assert answer(host, code, kind=kind) in REFUSED
    assert not path.exists()


def test_the_box_itself_cannot_be_written_by_a_kind_that_may_not_write(host: DemoHost) -> None:
    box = host.launch.settings["box"]
    code = f"answer = attempt(os.open, {box + '/x'!r}, os.O_WRONLY | os.O_CREAT)"
    assert answer(host, code) == "EPERM"


def test_the_sources_of_the_child_are_read_only(host: DemoHost) -> None:
    code = """
import child.confinement.confine
path = child.confinement.confine.__file__
answer = [attempt(os.open, path, os.O_RDONLY), attempt(os.open, path, os.O_RDWR)]
"""
    assert answer(host, code) == ["done", "EPERM"]
    readable, writable = answer(host, code, kind="bare")
    assert (readable, writable in REFUSED) == ("done", True)


def test_a_job_has_no_privilege_to_give_up(host: DemoHost) -> None:
    code = """
header = (ctypes.c_uint32 * 2)(0x20080522, 0)
caps = (ctypes.c_uint32 * 6)()
libc.capget(header, caps)
no_new_privs, dumpable = libc.prctl(39, 0, 0, 0, 0), libc.prctl(3, 0, 0, 0, 0)
answer = [list(caps), no_new_privs, dumpable, os.getresuid(), os.getresgid(), os.getgroups()]
"""
    caps, no_new_privs, dumpable, uids, gids, groups = answer(host, code, kind="bare", slot=5)
    assert (caps, no_new_privs, dumpable) == ([0] * 6, 1, 0)
    base = host.launch.settings["uid_base"]
    if base is not None:
        assert (uids, gids, groups) == ([base + 5] * 3, [base + 5] * 3, [])


def test_a_job_inherits_its_own_socket_only(host: DemoHost) -> None:
    code = """
def is_open(fd):
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True
answer = [fd for fd in range(3, 256) if is_open(fd)]
"""
    # Its socket and the ruleset it was walled in with, which grants nothing more.
    assert len(answer(host, code)) <= 2


def test_the_environment_says_nothing_of_the_host(host: DemoHost) -> None:
    code = "answer = sorted(os.environ)"
    known = {"HOME", "USER", "LC_ALL", "PWD", "TMPDIR", "LD_LIBRARY_PATH", "LC_CTYPE"}
    for name in answer(host, code):
        assert (
            name in known
            or name.endswith("_NUM_THREADS")
            or name.startswith(("PYTHON", "TORCH", "MALLOC_", "THP_"))
        )


def test_threads_sleep_and_own_signals_work(host: DemoHost) -> None:
    code = """
import random
heard = []
signal.signal(signal.SIGUSR1, lambda *_: heard.append(1))
threads = [threading.Thread(target=time.sleep, args=(0.01,)) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
os.kill(os.getpid(), signal.SIGUSR1)
answer = [heard, 0 <= random.SystemRandom().random() < 1, len(os.urandom(4))]
"""
    assert answer(host, code) == [[1], True, 4]


def test_time_beyond_the_limit_ends_the_job(host: DemoHost) -> None:
    _, end = host.run("while True: pass", limits={"cpu_s": 1})
    assert os.waitstatus_to_exitcode(end["status"]) in (-signal.SIGKILL, -signal.SIGXCPU)


def test_memory_beyond_the_limit_is_a_memory_error(host: DemoHost) -> None:
    code = """
try:
    bytearray(1 << 30)
    answer = "done"
except MemoryError:
    answer = "MemoryError"
"""
    assert answer(host, code, limits={"data_bytes": 256 << 20}) == "MemoryError"
    assert answer(host, code, limits={"address_space_bytes": 512 << 20}) == "MemoryError"


def test_a_crash_is_a_signal_and_the_next_job_is_served(host: DemoHost) -> None:
    _, end = host.run("import ctypes; ctypes.string_at(1)")
    assert os.waitstatus_to_exitcode(end["status"]) == -signal.SIGSEGV
    assert answer(host, "answer = 1") == 1


def test_an_endless_job_is_killed_from_outside(host: DemoHost) -> None:
    job = host.start()
    job.send("import signal; signal.pthread_sigmask(0, range(1, 65)); signal.pause()")
    job.kill()
    assert os.waitstatus_to_exitcode(job.wait()["status"]) == -signal.SIGKILL
