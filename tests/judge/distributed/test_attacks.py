"""A hostile rank reaches no other job, leaves nothing, and cannot hide its traffic.

Most programs here are right answers that first try to break a wall and raise if it gives way. So
``AC`` means that the wall holds.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.judge.distributed.arena import MEAN, SOLUTION, judge
from tests.judge.left import count_what_is_left, have_references_wait
from torchstone.judge.order import Order
from torchstone.judge.pool.worker_pool import WorkerPool

pytestmark = [pytest.mark.full, pytest.mark.sandbox, pytest.mark.attack]

REFUSED = {
    "fork": "os.fork()",
    "vfork and exec": "subprocess.run(['/bin/true'])",
    "double fork": "os.fork() or os.fork() or os.setsid()",
    "a process of multiprocessing": "mp.get_context('fork').Process(target=print).start()",
    "a socket of the machine": "socket.socket(socket.AF_UNIX).bind('\\0channel')",
    "a pair of sockets": "socket.socketpair()",
    "datagrams": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
    "raw packets": "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
    "netlink between users": "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 2)",
    "another machine": "socket.create_connection(('1.1.1.1', 80), timeout=3)",
    "shared memory of the machine": "open('/dev/shm/channel', 'w')",
    "shared memory": "mmap.mmap(-1, 4096)",
    "a file": "open('/tmp/channel', 'w')",
    "a file here": "open('channel', 'w')",
    "a fifo": "os.mkfifo('channel')",
    "a memfd": "os.memfd_create('channel')",
    "killing the leader": "os.kill(1, 9)",
    "killing the other rank": "os.kill(os.getpid() ^ 1, 9)",
    "killing all": "os.kill(-1, 9)",
    "tracing": "open('/proc/1/mem', 'rb')",
    "a limit": "resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))",
}
IMPORTS = """
import mmap, multiprocessing as mp, os, resource, socket, subprocess, time
"""
TRY = """
    try:
        {act}
    except (OSError, ValueError):
        pass
    else:
        raise AssertionError("the wall gave way")
"""


def with_act(act: str) -> str:
    """Return the solution that first does something in every rank."""
    return IMPORTS + SOLUTION.replace("def start(tensor):\n", f"def start(tensor):\n{act}\n")


@pytest.mark.gate("*double fork", "*another machine", "*killing the other rank")
@pytest.mark.parametrize("act", REFUSED.values(), ids=REFUSED)
def test_a_rank_meets_a_wall(pool: WorkerPool, act: str) -> None:
    report = judge(pool, with_act(TRY.format(act=act)), "late")
    assert report.verdict == "AC", report


@pytest.mark.parametrize("act", ["socket.sethostname('x')", "os.execv('/bin/true', ['true'])"])
def test_what_only_an_attack_calls_ends_the_job(pool: WorkerPool, act: str) -> None:
    report = judge(pool, with_act(f"    {act}"), "late")
    assert report.verdict in ("RTE", "FORBIDDEN_OP"), report


FIND_DATA = """
    import gc, sys
    import torch
    tensors = {id(x): x for x in gc.get_objects() if isinstance(x, torch.Tensor)}
    frame = sys._getframe()
    while frame is not None:
        for value in list(frame.f_locals.values()):
            for x in [value, *(value.values() if isinstance(value, dict) else ())]:
                if isinstance(x, torch.Tensor):
                    tensors[id(x)] = x
                if type(x).__name__ == "Inbox":
                    assert not any(x._room[:4096]), "the request is still there"
                    tensors["inbox"] = torch.empty(0)
        frame = frame.f_back
    assert "inbox" in tensors, "the test looks at the wrong place"
    sizes = {x.untyped_storage().data_ptr(): x.untyped_storage().nbytes() for x in tensors.values()}
    # The two steps of this rank lie in one storage, and so do those of the other.
    assert list(sizes.values()).count(2 * 250_000 * 4) == 1, sizes
"""


def test_a_rank_does_not_have_the_inputs_of_the_others(pool: WorkerPool) -> None:
    report = judge(pool, with_act(FIND_DATA), "bytes")
    assert report.verdict == "AC", report


KEEP_PORT = """
    kept = socket.create_server(("127.0.0.1", 4444 + dist.get_rank()))
    time.sleep(0.3)
"""


@pytest.mark.full
def test_a_kept_port_is_free_for_the_next_case_and_for_other_jobs(pool: WorkerPool) -> None:
    """Every job has a loopback of its own, and no rank outlives its case."""
    with ThreadPoolExecutor(2) as threads:
        work = [
            threads.submit(judge, pool, with_act(KEEP_PORT), "late", "late", "bytes", slot=slot)
            for slot in (0, 1)
        ]
    assert [each.result().verdict for each in work] == ["AC", "AC"]


FIND_OTHERS = """
    found = 0
    for port in range(1024, 1400):
        with socket.socket() as probe:
            found += probe.connect_ex(("127.0.0.1", port)) == 0
    assert not found
"""


@pytest.mark.full
def test_other_jobs_cannot_be_reached(pool: WorkerPool) -> None:
    act = "    kept = socket.create_server(('0.0.0.0', 1100 + dist.get_rank()))"
    keep = with_act(f"{act}\n    time.sleep(0.5)")
    with ThreadPoolExecutor(2) as threads:
        one = threads.submit(judge, pool, keep, "small", slot=0)
        other = threads.submit(judge, pool, with_act(FIND_OTHERS), "small", slot=1)
    assert (one.result().verdict, other.result().verdict) == ("AC", "AC")


ENVIRONMENT = """
import os
os.environ |= {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "10.0.0.1", "MASTER_PORT": "1",
               "LOCAL_RANK": "0", "GLOO_SOCKET_IFNAME": "eth0"}
"""


def test_a_fake_environment_of_torchrun_changes_nothing(pool: WorkerPool) -> None:
    assert judge(pool, ENVIRONMENT + SOLUTION).verdict == "AC"


THREADS = """
    import threading
    held = []
    try:
        while len(held) < 10_000:
            held.append(threading.Thread(target=time.sleep, args=(1000,), daemon=True))
            held[-1].start()
    except RuntimeError:
        pass
    assert len(held) < 10_000
"""


def test_threads_end_with_the_case(pool: WorkerPool, strangers: list[int]) -> None:
    report = judge(pool, with_act(THREADS), "late")
    assert report.verdict in ("AC", "RTE", "HUNG", "MLE"), report
    assert judge(pool, SOLUTION, "late").verdict == "AC"


LEAVE = """
import os, threading, time
class Stubborn:
    def __del__(self):
        time.sleep(1000)
kept = Stubborn()
threading.Thread(target=time.sleep, args=(1000,)).start()
"""


@pytest.mark.full
def test_jobs_leave_nothing(pool: WorkerPool, strangers: list[int]) -> None:
    sources = [LEAVE + SOLUTION, SOLUTION, with_act("    os._exit(1)"), with_act(KEEP_PORT)]
    for source in sources:
        judge(pool, source, "late")
    order = Order(assignment=MEAN, source=SOLUTION, seed=0)
    # A reference process that has ended is replaced only by the next job that needs one.
    have_references_wait(pool, order, num=1)
    before = count_what_is_left(strangers)
    for source in sources * 3:
        judge(pool, source, "late")
    have_references_wait(pool, order, num=1)
    assert count_what_is_left(strangers) == before


@pytest.mark.gate("*link._sock.close()", "*link.send(b?T?, 1)", "*os.close(link*")
@pytest.mark.parametrize(
    "act",
    [
        "link.send(from_rank.ANSWER, {'wire.bytes': 2000000, 'rank1:out.0': 1, 'out.0': tensor})",
        "link.send(from_rank.ANSWER, [1])",
        "link.send(from_rank.ANSWER, {'fault': {'key': 'no such', 'values': {}}})",
        "link.send(from_rank.CALL, {'name': 'x', 'number': 'y', 'inside': True})",
        "link.send(from_rank.WAIT, {'name': []})",
        "link.send(from_rank.LOADED, {})",
        "link.send(b'T', 1)",
        "link._sock.send(b'x' * 100)",
        "link._sock.close()",
        "os.close(link._sock.fileno())",
        "[link.wait('never') for _ in range(3)]",
    ],
)
def test_what_a_rank_writes_on_its_line_helps_nobody(pool: WorkerPool, act: str) -> None:
    code = "    import sys\n    link = sys.modules['child.driver'].rank._link\n"
    code += (
        "    from_rank = sys.modules['child.protocol.frames'].FromRank\n"
        + f"    {act}\n    tensor = tensor * 3\n"
    )
    report = judge(pool, with_act(code), "bytes")
    assert report.verdict in ("WA", "RTE", "HUNG"), report
    assert judge(pool, SOLUTION, "late").verdict == "AC"


@pytest.mark.full
def test_a_rank_that_lies_about_its_calls_does_not_change_the_traffic(pool: WorkerPool) -> None:
    code = "    import sys\n    sys.modules['child.driver'].rank._link.send = lambda *args: None\n"
    report = judge(pool, with_act(code), "bytes")
    # Its own answer is lost with its reports.
    assert report.verdict in ("HUNG", "RTE", "WA"), report
