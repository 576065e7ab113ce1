"""Jobs beside and after each other: none sees, signals or outlives another."""

import errno
import os
import signal
import time
from pathlib import Path

import pytest

from tests.judge.sandbox.demo_host import DemoHost, Setting, demo_host
from torchstone.core.isolation import Isolation
from torchstone.judge.sandbox.cgroups import create_group, usable_kind
from torchstone.judge.sandbox.levels import probe_machine

pytestmark = pytest.mark.sandbox

MIB = 1 << 20


def descendants(pid: int) -> set[int]:
    """List the processes below one, as the host numbers them."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        parents[int(folder.name)] = int(stat.rpartition(")")[2].split()[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def num_mounts(host: DemoHost) -> int:
    """Count the mounts that the processes of the sandbox see, all together."""
    pids = descendants(host.process.pid) or {host.process.pid}
    return sum(len(Path(f"/proc/{pid}/mountinfo").read_text().splitlines()) for pid in pids)


def test_a_job_is_alone_in_its_pid_namespace(walled_host: DemoHost) -> None:
    other = walled_host.start(slot=1)
    code = """
import os
def found(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
answer = [os.getpid(), os.getppid(), [pid for pid in range(1, 5000) if found(pid)]]
"""
    answer, _ = walled_host.run(code, kind="bare")
    assert answer == [1, 0, [1]]
    other.kill()
    other.wait()


def test_a_job_cannot_signal_the_zygote_nor_another_job(host: DemoHost) -> None:
    other = host.start(slot=1)
    zygote_pid = host.ask({"pid": True})["pid"]
    code = f"""
import errno, os
answer = []
for pid in ({other.pid}, {zygote_pid}):
    try:
        os.kill(pid, 9)
        answer.append("done")
    except OSError as error:
        answer.append(error.errno)
"""
    # Without the seccomp filter: the namespace, or Landlock's scope, has to hold on its own.
    answer, _ = host.run(code, kind="bare")
    assert set(answer) <= {errno.EPERM, errno.ESRCH}
    other.send("answer = 'alive'")
    assert other.answer() == "alive"
    other.wait()


def test_two_jobs_have_their_own_ipc_and_host_name(walled_host: DemoHost) -> None:
    code = """
import ctypes
answer = ctypes.CDLL(None).shmget(0x7357, 4096, 0o1600)
"""
    other = walled_host.start(kind="bare", slot=1)
    other.send("import time\n" + code)
    assert other.answer() >= 0
    again = "import ctypes\nanswer = ctypes.CDLL(None).shmget(0x7357, 4096, 0o600)"
    assert walled_host.run(again, kind="bare", slot=1)[0] == -1
    other.wait()


def test_a_job_that_may_write_has_a_box_of_its_own(walled_host: DemoHost) -> None:
    code = """
import os
open("x", "w").write("1")
os.mkdir("d")
answer = [os.getcwd(), sorted(os.listdir("."))]
"""
    box = {"kind": "script", "box_bytes": MIB, "box_inodes": 16, "limits": {"file_bytes": MIB}}
    other = walled_host.start(slot=1, **box)
    other.send(code)
    first = other.answer()
    answer, _ = walled_host.run(code, slot=2, **box)
    assert first == answer == ["/box/job", ["d", "x"]]
    other.wait()


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("for i in range(100): open(str(i), 'w').close()", errno.ENOSPC),
        ("f = open('x', 'wb', 0)\nfor i in range(64): f.write(bytes(65536))", errno.ENOSPC),
        ("os.symlink('/etc/passwd', 'x')", errno.EPERM),
        ("os.mkfifo('x')", errno.EPERM),
        ("os.mknod('x')", errno.EPERM),
        ("os.link('/dev/null', 'x')", errno.EPERM),
        ("open('x', 'w'); import mmap; f = open('x', 'r+b'); f.write(bytes(4096)); f.flush()\n"
         "mmap.mmap(f.fileno(), 4096, prot=5)", errno.EPERM),
    ],
    ids=["inodes", "bytes", "symlink", "fifo", "node", "link", "execute"],
)  # fmt: skip
def test_the_box_has_limits(walled_host: DemoHost, code: str, wanted: int) -> None:
    body = "\n    ".join(code.splitlines())
    attempt = f"import os\nanswer = 0\ntry:\n    {body}\nexcept OSError as e:\n    answer = e.errno"
    answer, _ = walled_host.run(
        attempt, kind="script", box_bytes=MIB, box_inodes=16, limits={"file_bytes": 8 * MIB}
    )
    assert answer == wanted


def test_a_file_beyond_the_limit_is_an_error(walled_host: DemoHost) -> None:
    code = """
import os
fd = os.open("x", os.O_WRONLY | os.O_CREAT)
try:
    for _ in range(64):
        os.write(fd, bytes(65536))
    answer = "done"
except OSError as error:
    answer = error.errno
"""
    answer, _ = walled_host.run(
        code, kind="script", box_bytes=8 * MIB, box_inodes=16, limits={"file_bytes": MIB}
    )
    assert answer == errno.EFBIG


def test_the_number_of_threads_is_bounded(walled_host: DemoHost) -> None:
    code = """
import threading, time
started = 0
try:
    for _ in range(64):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        started += 1
except RuntimeError:
    pass
answer = started
"""
    answer, _ = walled_host.run(code, limits={"num_processes": 12})
    assert 1 <= answer < 12


def test_what_a_job_leaves_running_dies_with_it(walled_host: DemoHost) -> None:
    before = descendants(walled_host.process.pid)
    code = "import os, time\nos.fork() or os.setsid() or os.fork() or time.sleep(600)\nanswer = 1"
    walled_host.run(code, kind="bare")
    assert descendants(walled_host.process.pid) == before


def test_nothing_is_left_after_two_hundred_jobs(walled_host: DemoHost) -> None:
    def state() -> tuple[int, set[int], int, str]:
        num_fds = walled_host.ask({"num_fds": True})["num_fds"]
        pids = descendants(walled_host.process.pid)
        return num_fds, pids, num_mounts(walled_host), Path("/proc/sysvipc/shm").read_text()

    ends = ("answer = 1", "raise SystemExit(3)", "import os; os.abort()", "open('x', 'w')")
    walled_host.run("answer = 1", kind="script", box_bytes=MIB, box_inodes=8)
    before = state()
    for number in range(200):
        box = {"box_bytes": MIB, "box_inodes": 8} if number % 2 else {}
        walled_host.run(ends[number % 4], kind="script", slot=number % 3, **box)
    assert state() == before


def test_the_sandbox_ends_with_its_host(visible_cache: Path) -> None:
    level = Isolation.NAMESPACES if probe_machine().namespaces else Isolation.CONFINED
    with demo_host(Setting(level), cache=visible_cache) as host:
        job = host.start()
        pids = descendants(host.process.pid)
        if level is Isolation.NAMESPACES:
            host.process.send_signal(signal.SIGKILL)
        else:
            host.control.close()
        host.process.wait(timeout=30)
        job.connection.settimeout(30)
        assert job.answer() is None
        job.connection.close()
    assert have_ended(pids)


def have_ended(pids: set[int]) -> bool:
    """Wait until none of these processes runs; the kernel kills a namespace without haste."""
    deadline = time.monotonic() + 30
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not any(map(is_running, pids))


def is_running(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_a_group_bounds_a_job_and_is_removed_after_it(visible_cache: Path) -> None:
    kind = usable_kind()
    if kind is None:
        pytest.skip("no control group may be made here")
    level = Isolation.NAMESPACES if probe_machine().namespaces else Isolation.CONFINED
    name = f"torchstone-slot-{os.getpid()}"
    group = create_group(kind, name, memory_bytes=64 * MIB, num_tasks=16)
    with demo_host(Setting(level), cache=visible_cache) as host:
        procs = group.open_procs()
        try:
            job = host.start(procs=procs)
            job.send("answer = len(bytearray(b'x') * (16 << 20))")
            assert job.answer() == 16 * MIB
            job.wait()
            assert group.peak_bytes() >= 16 * MIB
            job = host.start(procs=procs)
            job.send("answer = len(bytearray(b'x') * (256 << 20))")
            assert job.answer() is None
            assert os.waitstatus_to_exitcode(job.wait()["status"]) == -signal.SIGKILL
            assert group.num_oom_kills() == 1
            assert group.num_processes() == 0
        finally:
            for fd in procs:
                os.close(fd)
            group.remove()
