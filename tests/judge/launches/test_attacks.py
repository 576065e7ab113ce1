"""A hostile script starts no program, reaches no other job, and leaves nothing behind.

Each attack is judged, then an honest program: it is accepted, and nothing was left.
"""

import time

import pytest

from tests.judge.launches.arena import SOLUTION, judge, order, with_act
from tests.judge.left import count_what_is_left, have_references_wait
from torchstone.bank.schema import Limits
from torchstone.judge.pool.worker_pool import WorkerPool

pytestmark = [pytest.mark.full, pytest.mark.sandbox, pytest.mark.attack]

# The processor time of a bomb.
LIMITS = Limits(wall_s=20.0, cpu_s=8.0, memory_mib=2048, disk_mib=16, processes=8)
PROGRAMS = {
    "a program": "subprocess.run(['/judge/python/bin/python3', '-c', ''])",
    "a spawned program": "os.posix_spawn(sys.executable, ['python'], {})",
    "exec": "os.execv(sys.executable, ['python'])",
    "a shell": "os.system('true')",
    "exec in a child": "os.fork() or os.execv(sys.executable, ['python'])",
}
TRY = """try:
    {act}
except (OSError, ValueError):
    pass
else:
    raise AssertionError("the wall gave way")"""
WALLS = {
    "a file of the machine": "open('/var/tmp/state', 'w')",
    "the program of the judge": "open('/judge/child/scripts/started.py', 'a')",
    "the names of the machine": "open('/etc/hosts', 'a')",
    "another file of the machine": "open('/etc/passwd')",
    "the memory of the leader": "open('/proc/1/mem', 'rb')",
    "datagrams": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
    "packets": "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
    "another machine": "socket.create_connection(('192.0.2.1', 80), timeout=5)",
    "a device": "os.mknod('device', 0o20600, os.makedev(1, 9))",
    "a link to a file of the machine": "os.symlink('/etc/passwd', 'link')",
}
BOMB = """try:
    while True:
        if not os.fork():
            time.sleep(1000)
except OSError:
    raise SystemExit(1)"""
DAEMON = """if not os.fork():
    os.setsid()
    if os.fork():
        os._exit(0)
    time.sleep(1000)"""
KILLS = """for each in (9, 15, 19):
    try:
        os.kill(1, each)
    except PermissionError:
        pass"""
HARM = {
    "a fork bomb": (BOMB, {"RTE", "TLE", "HUNG"}),
    # It keeps open what torchrun waits for.
    "a daemon": (DAEMON, {"WA", "HUNG"}),
    "killing the leader": (KILLS, {"AC"}),
    "killing all": ("os.kill(-1, 9)", {"RTE"}),
    "killing the parent": ("os.kill(os.getppid(), 9)", {"AC", "RTE"}),
    "a file beside the folder": (
        "os.getenv('RANK', '0') == '0' and open('/box/job/x', 'w')",
        {"WA"},
    ),
    "claims of its own": (
        "sys.modules['child.scripts.launched']._ended = lambda step: {'exit': 0}",
        {"AC", "WA", "RTE", "FORBIDDEN_OP"},
    ),
}


def accept_the_next(pool: WorkerPool) -> None:
    report = judge(pool, SOLUTION, "two")
    assert report.verdict == "AC", report


@pytest.mark.gate("*exec-two", "*a shell-torchrun", "*a spawned program-two")
@pytest.mark.parametrize("group", ["two", "torchrun"])
@pytest.mark.parametrize("act", PROGRAMS.values(), ids=PROGRAMS)
def test_no_program_is_started(pool: WorkerPool, act: str, group: str) -> None:
    report = judge(pool, with_act(act), group)
    assert report.verdict == "FORBIDDEN_OP", report
    accept_the_next(pool)


@pytest.mark.gate("full-two")
@pytest.mark.parametrize("group", ["two", "torchrun"])
def test_the_kernel_refuses_what_no_hook_hears(pool: WorkerPool, group: str) -> None:
    marker = "print('executed', flush=True)"
    act = f"""import _posixsubprocess
r, w = os.pipe()
argv = [b"python", b"-c", b"{marker}"]
_posixsubprocess.fork_exec(
    argv, [os.fsencode(sys.executable)], True, (w,), None, None,
    -1, -1, -1, -1, -1, -1, r, w, False, False, 0, None, None, None, -1, None, False)
os.close(w)
os.read(r, 1)
time.sleep(0.2)"""
    report = judge(pool, with_act(act), group)
    assert "executed" not in report.stdout
    accept_the_next(pool)


@pytest.mark.gate("*another machine", "*a file of the machine", "*the memory of the leader")
@pytest.mark.parametrize("act", WALLS.values(), ids=WALLS)
def test_a_rank_meets_a_wall(pool: WorkerPool, act: str) -> None:
    report = judge(pool, with_act(TRY.format(act=act)), "two", "torchrun")
    assert report.verdict == "AC", report


@pytest.mark.gate("*two-killing the leader", "*two-a daemon")
@pytest.mark.parametrize(("act", "verdicts"), HARM.values(), ids=HARM)
@pytest.mark.parametrize("group", ["two", "torchrun"])
def test_harm_stays_within_the_case(
    pool: WorkerPool, strangers: list[int], act: str, verdicts: set[str], group: str
) -> None:
    accept_the_next(pool)
    have_references_wait(pool, order(SOLUTION), num=1)
    before = count_what_is_left(strangers)
    report = judge(pool, with_act(act), group, limits=LIMITS)
    assert report.verdict in verdicts, report
    accept_the_next(pool)
    have_references_wait(pool, order(SOLUTION), num=1)
    deadline = time.monotonic() + 10.0
    while not (after := count_what_is_left(strangers)) <= before and time.monotonic() < deadline:
        time.sleep(0.1)
    assert after <= before, (after, before)
