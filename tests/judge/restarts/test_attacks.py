"""A hostile program keeps nothing over a kill but its folder, and reaches no other job.

Most programs here are right answers that first try to break a wall and raise if it gives way. So
``AC`` means that the wall holds.
"""

import pytest

from tests.judge.left import count_what_is_left, have_references_wait
from tests.judge.restarts.arena import COUNT, SOLUTION, judge
from torchstone.judge.order import Order
from torchstone.judge.pool.worker_pool import WorkerPool

pytestmark = [pytest.mark.full, pytest.mark.sandbox, pytest.mark.attack]

BEGIN = "def count(folder, total, on_step):\n"
IMPORTS = (
    "import mmap, multiprocessing as mp, os, resource, signal, subprocess, sys, threading, time\n"
)
REFUSED = {
    "shared memory of the machine": "open('/dev/shm/state', 'w')",
    "shared memory": "mmap.mmap(-1, 4096)",
    "a memfd": "os.memfd_create('state')",
    "a file of the machine": "open('/tmp/state', 'w')",
    "beside the disk": "open('/box/state', 'w')",
    "the program of the judge": "open('/judge/child/scripts/series.py', 'a')",
    "a fifo": "os.mkfifo('pipe')",
    "a link to a file of the machine": "os.symlink('/etc/passwd', 'link')",
    "a device": "os.mknod('device', 0o20600, os.makedev(1, 9))",
    "killing the leader": "os.kill(1, 9)",
    "killing the stem": "os.kill(os.getppid(), 9)",
    "killing all": "os.kill(-1, 9)",
    "stopping the leader": "os.kill(1, signal.SIGSTOP)",
    "a session of its own": "os.setsid()",
    "reading the leader": "open('/proc/1/mem', 'rb')",
    "a larger file limit": "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 40, 1 << 40))",
    "another clock": "time.clock_settime(time.CLOCK_REALTIME, 0)",
}
TRY = """    try:
        {act}
    except (OSError, ValueError):
        pass
    else:
        raise AssertionError("the wall gave way")
"""


def with_act(act: str) -> str:
    """Return the solution that first does something in every run."""
    return IMPORTS + SOLUTION.replace(BEGIN, f"{BEGIN}{act}\n")


def accept_the_next(pool: WorkerPool) -> None:
    report = judge(pool, SOLUTION, "kill", "plain")
    assert report.verdict == "AC", report


ENDS = {"another clock"}


@pytest.mark.gate("*open(?/proc/1/mem*", "*os.kill(-1, 9)*", "*os.symlink*")
@pytest.mark.parametrize("act", [REFUSED[name] for name in REFUSED if name not in ENDS], ids=str)
def test_a_run_meets_a_wall(pool: WorkerPool, act: str) -> None:
    report = judge(pool, with_act(TRY.format(act=act)), "plain", "kill")
    assert report.verdict == "AC", report
    accept_the_next(pool)


STARTS = {
    "fork": "os.fork()",
    "a daemon by double fork": "os.fork() or (os.setsid(), os.fork(), time.sleep(1000))",
    "a fork bomb": "[os.fork() for _ in range(1000)]",
    "a program": "subprocess.run(['/bin/true'])",
    "a spawned program": "os.posix_spawn('/bin/true', ['true'], {})",
    "a process of multiprocessing": "mp.get_context('fork').Process(target=print).start()",
    "exec": "os.execv('/bin/true', ['true'])",
    "a socket": "__import__('socket').socket()",
}


@pytest.mark.gate("*a fork bomb", "*exec", "*a socket")
@pytest.mark.parametrize("act", STARTS.values(), ids=STARTS)
def test_no_process_is_started(pool: WorkerPool, act: str) -> None:
    """So no daemon survives a kill, and the whole tree is one process."""
    report = judge(pool, with_act(f"    {act}"), "kill")
    assert report.verdict == "FORBIDDEN_OP", report
    accept_the_next(pool)


def test_setting_the_clock_of_the_machine_ends_the_job(pool: WorkerPool) -> None:
    report = judge(pool, with_act(f"    {REFUSED['another clock']}"), "plain")
    assert report.verdict == "RTE", report
    accept_the_next(pool)


@pytest.mark.parametrize("place", ["'state'", "f'{folder}.state'", "'/box/job/state'"])
def test_what_is_written_beside_the_folder_is_reported_and_removed(
    pool: WorkerPool, place: str
) -> None:
    act = f"    assert not os.path.exists({place})\n    open({place}, 'w').close()"
    report = judge(pool, with_act(act), "plain")
    assert (report.verdict, report.aspect) == ("WA", "property"), report
    accept_the_next(pool)


LEAVE = """
    import gc
    for item in gc.get_objects():
        if isinstance(item, (list, tuple)):
            for each in item:
                is_note = isinstance(each, str) and each[:12] == "left by run "
                assert not (is_note and each[12:]), item
    sys.modules["child.driver"].run.event("note", "left by run " + str(total - 3))"""


def test_a_run_does_not_find_what_an_earlier_run_has_reported(pool: WorkerPool) -> None:
    """The memory of a run comes from a process that never heard of the runs before it."""
    report = judge(pool, with_act(LEAVE), "kill")
    assert report.verdict == "AC", report


REWRITE = """    def rewrite():
        while True:
            for name in os.listdir(folder):
                try:
                    open(f'{folder}/{name}', 'r+b').write(b'after the verdict')
                except OSError:
                    pass
    later.append(lambda: threading.Thread(target=rewrite, daemon=True).start())"""


def test_a_thread_that_rewrites_the_files_ends_with_the_answer(pool: WorkerPool) -> None:
    source = IMPORTS + "later = []\n" + SOLUTION.replace(BEGIN, f"{BEGIN}{REWRITE}\n")
    source = source.replace("    return total", "    later[-1]()\n    return total")
    report = judge(pool, source, "plain", "kill")
    # What it destroyed before its end is its own loss; nothing of it runs in the next start.
    assert report.verdict in ("AC", "WA"), report
    accept_the_next(pool)


HOLD = "    threading.Thread(target=time.sleep, args=(1000,), daemon={}).start()"


@pytest.mark.parametrize("daemon", [True, False])
def test_a_thread_that_holds_the_pipe_ends_with_its_run(pool: WorkerPool, daemon: bool) -> None:
    report = judge(pool, with_act(HOLD.format(daemon)), "plain", "kill")
    assert report.verdict == "AC", report
    accept_the_next(pool)


@pytest.mark.full
def test_signals_are_caught_in_vain(pool: WorkerPool) -> None:
    act = "    [signal.signal(number, signal.SIG_IGN) for number in (1, 2, 3, 15)]"
    assert judge(pool, with_act(act), "kill", "save").verdict == "AC"


def test_a_clock_that_lies_changes_nothing(pool: WorkerPool) -> None:
    act = """    time.time = time.monotonic = time.perf_counter = lambda: 0.0
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        os.utime(f"{folder}/{name}", (0, 0))"""
    report = judge(pool, with_act(act))
    assert report.verdict == "AC", report


@pytest.mark.gate("*link._sock.close()", "*link.send(b?T?, 1)", "*os.close(link*")
@pytest.mark.parametrize(
    "act",
    [
        "link.send(from_run.ANSWER, {'run1:events': [], 'ended': 'killed', 'files': []})",
        "link.send(from_run.ANSWER, [1])",
        "link.send(from_run.ANSWER, {'fault': {'key': 'no such', 'values': {}}})",
        "link.send(from_run.EVENT, [])",
        "link.send(from_run.EVENT, {'name': 1})",
        "link.send(from_run.EVENT, 7)",
        "link.send(b'T', 1)",
        "link._sock.send(b'x' * 100)",
        "link._sock.close()",
        "os.close(link._sock.fileno())",
        "[sys.modules['child.driver'].run.event('flood') for _ in range(30_000)]",
    ],
)
def test_what_a_run_writes_on_its_line_helps_nobody(pool: WorkerPool, act: str) -> None:
    code = "    link = sys.modules['child.driver'].run._link\n"
    code += (
        f"    from_run = sys.modules['child.protocol.frames'].FromRun\n    {act}\n    total = 0\n"
    )
    report = judge(pool, with_act(code), "plain")
    assert report.verdict in ("WA", "RTE", "HUNG"), report
    accept_the_next(pool)


MANY = """    os.makedirs(folder, exist_ok=True)
    os.makedirs(f"{folder}/deep/" + "/".join("x" * 50), exist_ok=True)
    os.chmod(f"{folder}/deep", 0)
    for number in range(500):
        open(f"{folder}/note{number}", "w").close()"""


@pytest.mark.full
def test_jobs_leave_nothing(pool: WorkerPool, strangers: list[int]) -> None:
    sources = [SOLUTION, with_act(MANY), with_act("    os._exit(1)"), with_act(HOLD.format(True))]
    for source in sources:
        judge(pool, source, "plain", "kill")
    order = Order(assignment=COUNT, source=SOLUTION, seed=0)
    # A reference process that has ended is replaced only by the next job that needs one.
    have_references_wait(pool, order, num=1)
    before = count_what_is_left(strangers)
    for source in sources * 3:
        judge(pool, source, "plain", "kill")
    have_references_wait(pool, order, num=1)
    assert count_what_is_left(strangers) == before
    accept_the_next(pool)
