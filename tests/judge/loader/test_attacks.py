"""A hostile program with workers stays within its job, and leaves nothing for the next one.

Each attack is judged, then an honest program: it is accepted, and nothing was left.
"""

import time

import pytest

from tests.judge.left import count_what_is_left, have_references_wait
from tests.judge.loader.arena import SOLUTION, judge, order
from tests.judge.loader.test_workers import HEAD, in_worker, with_act
from torchstone.bank.schema import Limits
from torchstone.judge.messages import Report
from torchstone.judge.pool.worker_pool import WorkerPool

pytestmark = [pytest.mark.full, pytest.mark.sandbox, pytest.mark.attack]

LIMITS = Limits(wall_s=20.0, cpu_s=6.0, memory_mib=600, processes=4)
BOMB = """try:
        while True:
            if not os.fork():
                time.sleep(1000)
    except OSError:
        pass"""
SPINNING_BOMB = """while True:
        try:
            os.fork()
        except OSError:
            pass"""
DOUBLE_FORK = """if not os.fork():
        os.setsid()
        if os.fork():
            os._exit(0)
        time.sleep(1000)
    os.wait()"""
HOLDING = """if not os.fork():
        time.sleep(1000)
    os._exit(3)"""
SEGMENT = """held = shared_memory.SharedMemory(create=True, size=1 << 20)
    open('/box/job/left', 'w').write('left')"""
ZOMBIE = "if not os.fork():\n        os._exit(0)"
LINK = "link = sys.modules['child.driver'].rank._link"
ATTACKS = {
    "a fork bomb": (with_act(BOMB), {"WA", "RTE"}),
    "a fork bomb that computes": (with_act(SPINNING_BOMB), {"TLE"}),
    "a fork bomb in a worker": (
        in_worker(BOMB.replace("\n    ", "\n            ")),
        {"WA", "RTE"},
    ),
    "a double fork that outlives the case": (with_act(DOUBLE_FORK), {"WA"}),
    "a child that holds the line of an ended program": (with_act(HOLDING), {"RTE"}),
    "a segment and a file that stay": (with_act(SEGMENT), {"WA"}),
    "a zombie": (with_act(ZOMBIE), {"WA"}),
    "a worker that kills the program": (in_worker("os.kill(os.getppid(), 9)"), {"RTE"}),
    "a worker that kills the leader": (
        in_worker("os.kill(1, 9); os.kill(1, 15); os.kill(1, 19)"),
        {"AC"},
    ),
    "a worker that kills all": (in_worker("os.kill(-1, 9)"), {"RTE"}),
    "a worker that reads the program's memory": (
        in_worker("open(f'/proc/{os.getppid()}/mem', 'rb')"),
        {"RTE"},
    ),
    "a worker that reads it with ctypes": (
        in_worker("import ctypes; ctypes.CDLL(None).process_vm_readv"),
        {"FORBIDDEN_OP"},
    ),
    "a worker that executes a program": (
        in_worker("os.execv('/judge/python/bin/python3.11', ['python'])"),
        {"FORBIDDEN_OP"},
    ),
    "a spawned interpreter": (
        with_act("mp.get_context('spawn').Process(target=print).start()"),
        {"WA", "RTE", "FORBIDDEN_OP"},
    ),
    "a loader with no workers": (
        HEAD + SOLUTION + "\nkept = DataLoader.__init__\ndef none(self, *args, **kwargs):\n"
        "    kept(self, *args, **{**kwargs, 'num_workers': 0})\nDataLoader.__init__ = none\n",
        {"WA"},
    ),
    "a connection out": (
        with_act("import socket\n    socket.create_connection(('1.1.1.1', 80), timeout=3)"),
        {"RTE"},
    ),
    "a full /dev/shm": (
        with_act("for n in range(9): open(f'/dev/shm/{n}', 'wb').write(bytes(31 << 20))"),
        {"RTE"},
    ),
    "counts of its own": (
        HEAD.replace("os,", "os, sys,")
        + SOLUTION.replace(
            "    return DataLoader(",
            f"    {LINK}\n    link._sock.send(b'xxxx')\n    return DataLoader(",
        ),
        {"RTE", "WA"},
    ),
    "an answer with counts": (
        HEAD.replace("os,", "os, sys,")
        + SOLUTION.replace(
            "    return DataLoader(",
            f"    {LINK}\n    kind = sys.modules['child.protocol.frames'].FromRank.ANSWER\n"
            "    counts = [['before', 0, 0, 0, 0, 3], ['during', workers, 0, 0, 0, 3]]\n"
            "    link.send(kind, {'out': [x * x for x in items], 'counts': counts})\n"
            "    time.sleep(1000)\n    return DataLoader(",
        ),
        {"RTE", "WA"},
    ),
}


@pytest.mark.full
@pytest.mark.parametrize("name", ATTACKS)
def test_the_next_honest_job_is_accepted(pool: WorkerPool, name: str, strangers: list[int]) -> None:
    source, verdicts = ATTACKS[name]
    assert judge(pool, SOLUTION).verdict == "AC"
    have_references_wait(pool, order(SOLUTION), num=1)
    before = count_what_is_left(strangers)
    report: Report = judge(pool, source, limits=LIMITS)
    assert report.verdict in verdicts, report
    honest = judge(pool, SOLUTION)
    assert honest.verdict == "AC", honest
    have_references_wait(pool, order(SOLUTION), num=1)
    # What ends meanwhile has a while.
    deadline = time.monotonic() + 20
    while not (after := count_what_is_left(strangers)) <= before and time.monotonic() < deadline:
        time.sleep(0.1)
    assert after <= before, (after, before)


@pytest.mark.full
def test_what_one_case_leaves_does_not_reach_the_next(pool: WorkerPool) -> None:
    act = """calls.append(1)
    assert len(calls) > 1 or os.listdir('/dev/shm') == os.listdir('/box/job') == []
    open('/dev/shm/left', 'w')
    os.makedirs('/box/job/left/deep', exist_ok=True)
    if not os.fork():
        time.sleep(1000)"""
    patient = Limits(wall_s=60.0, cpu_s=6.0, memory_mib=600, processes=4)
    report = judge(pool, f"calls = []\n{with_act(act)}", limits=patient)
    # Every case finds both empty; what it leaves is counted.
    assert report.verdict == "WA", report
    assert [case.code for case in report.cases] == ["WA"] * 3
