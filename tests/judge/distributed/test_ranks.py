"""Several ranks are judged as one submission: values, traffic, order, hangs and ends."""

import socket

import pytest

from tests.judge.distributed.arena import BANK, MEAN, SOLUTION, judge, variant
from torchstone.bank.schema import Deny, Limits
from torchstone.core import paths
from torchstone.core.errors import JudgeUnavailable
from torchstone.core.isolation import Isolation
from torchstone.judge.child.processes.member import Member
from torchstone.judge.order import Order
from torchstone.judge.pool.scratch import evaluate
from torchstone.judge.pool.worker_pool import WorkerPool

pytestmark = [pytest.mark.full, pytest.mark.sandbox]

ORDERED = """
import torch
import torch.distributed as dist

def start(tensor):
    parts = [torch.empty_like(tensor) for _ in range(dist.get_world_size())]
    work = dist.all_gather(parts, tensor, async_op=True)

    def finish():
        work.wait()
        return torch.stack(parts).sum(0) / len(parts)

    return finish
"""
HALF = """
import torch.distributed as dist

def start(tensor):
    half = tensor.bfloat16()
    work = dist.all_reduce(half, async_op=True)

    def finish():
        work.wait()
        return half.to(tensor.dtype) / dist.get_world_size()

    return finish
"""
ALONE = """
import torch.distributed as dist

def start(tensor):
    return lambda: tensor * 0.5
"""


def in_rank(number: int, act: str) -> str:
    """Return the solution with one more line in the first call of a rank."""
    more = f"    if dist.get_rank() == {number}:\n        {act}\n"
    head = "import os, time\nimport torch\n"
    return head + SOLUTION.replace("def start(tensor):\n", f"def start(tensor):\n{more}")


# How much of an asynchronous reduction has been sent by the end of a call is a matter of time.
@pytest.mark.parametrize("source", [SOLUTION, ORDERED], ids=["all_reduce", "all_gather"])
def test_right_answers_are_accepted(pool: WorkerPool, source: str) -> None:
    # Two ranks gather as many bytes as they reduce, so that both ways are right here.
    report = judge(pool, source)
    assert report.verdict == "AC", report
    assert report.stdout == ""


@pytest.mark.parametrize("source", [HALF, ALONE], ids=["half of the bytes", "none"])
def test_traffic_is_read_outside_and_decides(pool: WorkerPool, source: str) -> None:
    report = judge(pool, source, "bytes")
    assert report.verdict == "WA", report
    assert report.failed_groups == ("bytes",)


def test_too_many_bytes_are_refused_although_the_values_are_right(pool: WorkerPool) -> None:
    source = SOLUTION.replace(
        "    def finish",
        "    dist.all_reduce(tensor.clone())\n\n    def finish",
    )
    report = judge(pool, source, "bytes")
    assert (report.verdict, report.aspect) == ("WA", "property")
    assert report.detail is not None
    assert "bytes" in report.detail.en


def test_marks_count_calls_and_bytes_from_one_to_the_next() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        member = Member(0, 0, ours)
        member.calls += [("all_reduce", 8), ("barrier", 0)]
        member.mark("one", 1000)
        member.calls.append(("all_reduce", 8))
        member.mark("two", 1300)
        member.mark("three", 1300)
    assert member.marks == {
        **{"one.calls": 2, "one.bytes": 1000},
        **{"two.calls": 1, "two.bytes": 300},
        **{"three.calls": 0, "three.bytes": 0},
    }


AVERAGES = """
    large = [torch.ones(1 << 17) for _ in range(8)]
    for each in [dist.all_reduce(x, op=dist.ReduceOp.AVG, async_op=True) for x in large]:
        each.wait()
"""


@pytest.mark.full
def test_threads_of_gloo_share_work_after_a_fork(pool: WorkerPool) -> None:
    """Large tensors are divided by several threads at once; torch's pool was lost in the fork."""
    for _ in range(3):
        source = "import torch\n" + SOLUTION.replace("    work =", f"{AVERAGES}    work =", 1)
        report = judge(pool, source, "small")
        assert report.verdict == "AC", report


@pytest.mark.full
def test_a_wrong_answer_is_explained_with_fewer_ranks_and_steps(pool: WorkerPool) -> None:
    report = judge(pool, variant("sum_not_mean"), explain=True)
    assert (report.verdict, report.aspect, report.group) == ("WA", "value", "small")
    assert report.misconception is not None
    assert report.misconception.name == "sum_not_mean"
    assert report.smallest is not None
    assert report.smallest.regime == {"world_size": 2, "steps": 1, "size": 1}


@pytest.mark.full
def test_a_hang_names_the_rank_the_call_and_where_the_others_stand(pool: WorkerPool) -> None:
    report = judge(pool, variant("first_rank_alone"), "small")
    assert (report.verdict, report.group) == ("HUNG", "small")
    assert report.detail is not None
    assert "rank 0 stands at all_reduce 1" in report.detail.en
    assert "rank 1: ✓" in report.detail.en
    assert "rank 0 停在 all_reduce 1" in report.detail.zh


@pytest.mark.full
def test_a_hang_is_explained(pool: WorkerPool) -> None:
    limits = Limits(wall_s=60.0, cpu_s=20.0, memory_mib=1024)
    report = judge(pool, variant("first_rank_alone"), "small", explain=True, limits=limits)
    assert report.misconception is not None
    assert report.misconception.name == "first_rank_alone"
    assert report.smallest is not None
    assert report.smallest.regime["world_size"] == 2
    assert report.smallest.regime["steps"] == 1


def test_ranks_in_different_calls_are_told_apart(pool: WorkerPool) -> None:
    source = in_rank(1, "dist.barrier(); return lambda: tensor")
    report = judge(pool, source, "small")
    assert report.verdict == "HUNG"
    assert report.detail is not None
    assert "all_reduce 1" in report.detail.en
    assert "barrier 1" in report.detail.en


@pytest.mark.full
def test_a_call_that_stops_until_a_late_rank_comes_is_seen_by_liveness(pool: WorkerPool) -> None:
    report = judge(pool, variant("blocking"))
    assert (report.verdict, report.aspect, report.group) == ("WA", "property", "late")
    assert report.failed_groups == ("late",)


def test_an_exception_of_one_rank_is_the_verdict_though_the_others_wait(pool: WorkerPool) -> None:
    report = judge(pool, in_rank(1, "raise KeyError('mine')"), "small")
    assert report.verdict == "RTE"
    assert report.error is not None
    assert (report.error.type, report.error.line) == ("KeyError", 8)


@pytest.mark.gate("*exit 3", "*SIG")
@pytest.mark.parametrize(
    ("act", "how"),
    [
        ("os._exit(3)", "exit 3"),
        ("os._exit(70)", "exit 70"),
        ("os._exit(0)", "exit 0"),
        ("os.abort()", "SIG"),
    ],
)
def test_a_dead_rank_is_named(pool: WorkerPool, act: str, how: str) -> None:
    report = judge(pool, in_rank(1, act), "small")
    assert report.verdict == "RTE", report
    assert report.detail is not None
    assert "rank 1 ended before its answer" in report.detail.en
    assert how in report.detail.en


def test_the_end_of_a_rank_that_has_answered_changes_nothing(pool: WorkerPool) -> None:
    source = in_rank(0, "threading.Timer(0.4, os._exit, (3,)).start()")
    slow = "        work.wait()\n        time.sleep(0.8 * dist.get_rank())\n"
    source = "import threading\n" + source.replace("        work.wait()\n", slow)
    report = judge(pool, source, "late")
    assert report.verdict == "AC", report


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ("def start(:", "CE"),
        ("start_ = 1", "CE"),
        ("raise ValueError(1)", "RTE"),
        ("import os; os._exit(70)", "RTE"),
        ("import os; os._exit(0)", "RTE"),
        ("import ctypes", "FORBIDDEN_OP"),
    ],
)
def test_what_cannot_be_loaded(pool: WorkerPool, source: str, verdict: str) -> None:
    report = judge(pool, source, "small")
    assert report.verdict == verdict, report
    assert report.cases == ()


def test_a_ban_holds_in_every_rank_and_torch_distributed_stays_open(pool: WorkerPool) -> None:
    name = "torch.nn.parallel.DistributedDataParallel"
    deny = Deny(functions=(name,))
    assert judge(pool, SOLUTION, "small", deny=deny).verdict == "AC"
    source = in_rank(1, f"{name}(torch.nn.Linear(2, 2))")
    report = judge(pool, source, "small", deny=deny)
    assert report.verdict == "FORBIDDEN_OP", report
    assert report.forbidden is not None
    assert "DistributedDataParallel" in report.forbidden.operator


@pytest.mark.full
def test_all_ranks_share_the_time(pool: WorkerPool) -> None:
    source = SOLUTION.replace("    work =", "    while True: pass\n    work =", 1)
    limits = Limits(wall_s=20.0, cpu_s=2.0, memory_mib=1024)
    report = judge(pool, source, "late", limits=limits)
    assert report.verdict == "TLE", report


@pytest.mark.full
def test_all_ranks_share_the_memory(pool: WorkerPool) -> None:
    limits = Limits(wall_s=20.0, cpu_s=20.0, memory_mib=512)
    take = "import torch\n" + SOLUTION.replace(
        "    work =", "    more = torch.ones(90 << 18)\n    work =", 1
    )
    one = judge(pool, take.replace("90", "60"), "late", limits=limits)
    assert one.verdict == "AC", one
    both = judge(pool, take.replace("90", "450"), "late", limits=limits)
    assert both.verdict == "MLE", both


@pytest.mark.full
def test_a_program_that_waits_while_it_is_loaded_hangs(pool: WorkerPool) -> None:
    limits = Limits(wall_s=1.0, cpu_s=20.0, memory_mib=1024)
    report = judge(pool, "import time\ntime.sleep(1000)", "late", limits=limits)
    assert report.verdict == "HUNG"


def test_the_own_input_of_a_learner_is_evaluated_in_one_rank(pool: WorkerPool) -> None:
    order = Order(assignment=MEAN, source=SOLUTION, seed=1)
    evaluated = evaluate(order, pool.workers(0), "start(torch.ones(2))()")
    assert "tensor([1., 1.])" in str(evaluated)


@pytest.mark.full
def test_without_a_network_namespace_the_problem_is_refused_before_it_is_judged() -> None:
    made = WorkerPool(bank_root=BANK, cache=paths.cache_dir(), at_most=Isolation.CONFINED)
    with made.running(), pytest.raises(JudgeUnavailable) as raised:
        judge(made, SOLUTION)
    assert raised.value.code == "judge.no_network"
    assert "98" in str(raised.value)


def test_a_pool_that_has_not_started_knows_what_it_will_refuse() -> None:
    order = Order(assignment=MEAN, source=SOLUTION, seed=1)
    able = WorkerPool(bank_root=BANK, cache=paths.cache_dir())
    lesser = WorkerPool(bank_root=BANK, cache=paths.cache_dir(), at_most=Isolation.CONFINED)
    able.require_level(order)
    with pytest.raises(JudgeUnavailable) as raised:
        lesser.require_level(order)
    assert "confined" in str(raised.value)
    able.stop()
    lesser.stop()
