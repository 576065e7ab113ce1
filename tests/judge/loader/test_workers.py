"""A submission starts workers, and what they do is counted outside the program."""

import pytest

from tests.judge.loader.arena import BANK, FOLDER, SOLUTION, SQUARES, judge
from torchstone.bank.schema import Deny, Limits
from torchstone.core import paths
from torchstone.core.errors import JudgeUnavailable
from torchstone.core.isolation import Isolation
from torchstone.judge.order import Order
from torchstone.judge.pool.scratch import evaluate
from torchstone.judge.pool.worker_pool import WorkerPool

pytestmark = [pytest.mark.full, pytest.mark.sandbox]

BY_HAND = """
import multiprocessing as mp

def work(tasks, results):
    for number, item in iter(tasks.get, None):
        results.put((number, item * item))

def squares(items, workers):
    if not workers:
        yield from (item * item for item in items)
        return
    tasks, results = mp.Queue(), mp.SimpleQueue()
    crew = [mp.Process(target=work, args=(tasks, results), daemon=True) for _ in range(workers)]
    for each in crew:
        each.start()
    for task in enumerate(items):
        tasks.put(task)
    ready = {}
    for number in range(len(items)):
        while number not in ready:
            done, value = results.get()
            ready[done] = value
        yield ready.pop(number)
    for _ in crew:
        tasks.put(None)
    for each in crew:
        each.join()
"""
BY_FORK = """
import os, struct

def squares(items, workers):
    if not workers:
        yield from (item * item for item in items)
        return
    crew = []
    for worker in range(workers):
        ours, theirs = os.pipe()
        pid = os.fork()
        if not pid:
            for item in items[worker::workers]:
                os.write(theirs, struct.pack("q", item * item))
            os.read(held, 1)
            os._exit(0)
        os.close(theirs)
        crew.append((pid, ours))
    for number in range(len(items)):
        yield struct.unpack("q", os.read(crew[number % workers][1], 8))[0]
    for pid, ours in crew:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        os.close(ours)

held, _ = os.pipe()
"""
TENSORS = SOLUTION.replace("yield item * item", "yield torch.full((50_000,), item * item)[0]")
SHARED = {
    "a value": "cell = mp.Value('q', 0)\n    cell.value = 7",
    "a raw value": "cell = mp.RawValue('q', 0)\n    cell.value += 7\n    assert cell.value == 7",
    "an array": "cells = mp.Array('d', [1, 2])\n    cells[1] = 7\n    assert cells[:] == [1, 7]",
    "an event": "mp.Event().set()",
    "a tensor": "cell = torch.zeros(1).share_memory_()\n    cell += 1",
    "a map": "cell = mmap.mmap(-1, 8)\n    cell[:1] = b'x'",
    "a segment": "cell = shared_memory.SharedMemory(create=True, size=8)\n"
    "    cell.buf[0] = 1\n    cell.close()\n    cell.unlink()",
    "a pool": "with mp.Pool(1) as pool:\n        assert pool.map(abs, [-1]) == [1]",
    "a manager": "with mp.Manager() as manager:\n        assert list(manager.list([1])) == [1]",
}
HEAD = "import mmap, multiprocessing as mp, os, signal, time\n"
HEAD += "from multiprocessing import shared_memory\nimport torch\n"


def with_act(act: str) -> str:
    """Return the solution that first does something in the program."""
    return HEAD + SOLUTION.replace(
        "def squares(items, workers):\n", f"def squares(items, workers):\n    {act}\n"
    )


def in_worker(act: str, number: int = 1) -> str:
    """Return the solution with one more line in a worker."""
    more = f"        if info and info.id == {number}:\n            {act}\n"
    return HEAD + SOLUTION.replace("        for item", f"{more}        for item")


@pytest.mark.parametrize(
    "source", [SOLUTION, BY_HAND, BY_FORK], ids=["DataLoader", "multiprocessing", "fork"]
)
def test_right_answers_are_accepted(pool: WorkerPool, source: str) -> None:
    report = judge(pool, source)
    assert report.verdict == "AC", report
    assert report.stdout == ""


@pytest.mark.full
def test_tensors_come_through_shared_memory(pool: WorkerPool) -> None:
    assert judge(pool, "import torch\n" + TENSORS).verdict == "AC"


@pytest.mark.gate("full-a pool", "full-a tensor", "full-an event")
@pytest.mark.parametrize("act", SHARED.values(), ids=SHARED)
def test_what_processes_share_can_be_made(pool: WorkerPool, act: str) -> None:
    report = judge(pool, with_act(act), "again")
    assert report.verdict == "AC", report


def test_workers_are_counted_outside(pool: WorkerPool) -> None:
    report = judge(pool, SOLUTION.replace("num_workers=workers", "num_workers=1"), "small")
    assert (report.verdict, report.aspect) == ("WA", "property"), report
    assert report.failed_groups == ("small",)


@pytest.mark.gate("*kept.append(os.pipe())")
@pytest.mark.parametrize(
    "act",
    {
        "descriptor": "kept.append(os.pipe())",
        "thread": "threading.Thread(target=time.sleep, args=(90,), daemon=True).start()",
        "segment": "open('/dev/shm/left', 'w').close()",
        "zombie": "os.fork() or os._exit(0)",
        "process": "os.fork() or time.sleep(90)",
    }.values(),
)
def test_what_a_pass_leaves_is_counted_outside(pool: WorkerPool, act: str) -> None:
    source = "import threading\nkept = []\n" + with_act(act)
    report = judge(pool, source, "again")
    assert (report.verdict, report.aspect) == ("WA", "property"), report


@pytest.mark.full
def test_a_wrong_answer_is_explained_with_fewer_items_and_workers(pool: WorkerPool) -> None:
    source = (FOLDER / "wrong/every_worker_all.py").read_text(encoding="utf-8")
    report = judge(pool, source, explain=True)
    assert (report.verdict, report.group) == ("WA", "small")
    assert report.misconception is not None
    assert report.misconception.name == "every_worker_all"
    assert report.smallest is not None
    assert report.smallest.regime == {"items": 1, "workers": 2}


def test_an_exception_of_a_worker_is_the_verdict(pool: WorkerPool) -> None:
    report = judge(pool, in_worker("raise KeyError('mine')"), "small")
    assert report.verdict == "RTE"
    assert report.error is not None
    assert report.error.type == "KeyError"


@pytest.mark.gate("*os._exit(3)", "*getpid(), 9)")
@pytest.mark.parametrize("act", ["os._exit(3)", "os.abort()", "os.kill(os.getpid(), 9)"])
def test_the_death_of_a_worker_is_an_exception_of_the_program(pool: WorkerPool, act: str) -> None:
    report = judge(pool, in_worker(act), "small")
    assert report.verdict == "RTE", report
    assert report.error is not None
    assert "worker" in report.error.message


@pytest.mark.parametrize(("act", "how"), [("os._exit(0)", "exit 0"), ("os.abort()", "SIG")])
def test_the_end_of_the_program_is_named(pool: WorkerPool, act: str, how: str) -> None:
    report = judge(pool, with_act(act), "small")
    assert report.verdict == "RTE", report
    assert report.detail is not None
    assert how in report.detail.en


def test_a_deadlock_is_found_by_liveness(pool: WorkerPool) -> None:
    report = judge(pool, in_worker("mp.Event().wait()"), "small")
    assert report.verdict == "HUNG", report
    assert report.detail is not None
    assert "no process of the program moves" in report.detail.en
    assert "worker" in report.detail.zh


def test_a_ban_in_a_worker_decides_even_if_the_program_swallows_it(pool: WorkerPool) -> None:
    source = (
        in_worker("import _ctypes")
        .replace("    return DataLoader", "    return kept(DataLoader")
        .replace("num_workers=workers)", "num_workers=workers))")
    )
    source += "\ndef kept(loader):\n    try:\n        yield from loader\n"
    source += "    except RuntimeError:\n        yield 1\n"
    report = judge(pool, source, "small")
    assert report.verdict == "FORBIDDEN_OP", report


def test_a_banned_function_stays_banned_in_workers(pool: WorkerPool) -> None:
    deny = Deny(functions=("torch.utils.data.datapipes.iter.combinatorics.ShufflerIterDataPipe",))
    assert judge(pool, SOLUTION, "small", deny=deny).verdict == "AC"
    act = "torch.utils.data.datapipes.iter.Shuffler([1])"
    report = judge(pool, in_worker(act), "small", deny=deny)
    assert report.verdict == "FORBIDDEN_OP", report


@pytest.mark.full
def test_all_processes_share_the_time(pool: WorkerPool) -> None:
    limits = Limits(wall_s=20.0, cpu_s=2.0, memory_mib=600, processes=4)
    report = judge(pool, in_worker("while True: pass"), "small", limits=limits)
    assert report.verdict == "TLE", report


@pytest.mark.full
def test_each_process_has_its_part_of_the_memory(pool: WorkerPool) -> None:
    assert judge(pool, in_worker("kept = torch.ones(60 << 18)"), "small").verdict == "AC"
    report = judge(pool, in_worker("kept = torch.ones(400 << 18)"), "small")
    assert report.verdict in ("MLE", "RTE"), report


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ("def squares(:", "CE"),
        ("squares_ = 1", "CE"),
        ("raise ValueError(1)", "RTE"),
        ("import os; os._exit(0)", "RTE"),
        ("import _ctypes", "FORBIDDEN_OP"),
    ],
)
def test_what_cannot_be_loaded(pool: WorkerPool, source: str, verdict: str) -> None:
    report = judge(pool, source, "small")
    assert report.verdict == verdict, report
    assert report.cases == ()


def test_the_own_input_of_a_learner_is_evaluated(pool: WorkerPool) -> None:
    order = Order(assignment=SQUARES, source=SOLUTION, seed=1)
    evaluated = evaluate(order, pool.workers(0), "list(squares([1, 2, 3], 2))")
    assert "[1, 4, 9]" in str(evaluated)


@pytest.mark.full
def test_without_namespaces_the_problem_is_refused_before_it_is_judged() -> None:
    made = WorkerPool(bank_root=BANK, cache=paths.cache_dir(), at_most=Isolation.CONFINED)
    with made.running(), pytest.raises(JudgeUnavailable) as raised:
        judge(made, SOLUTION)
    assert raised.value.code == "judge.no_processes"
    assert "95" in str(raised.value)
