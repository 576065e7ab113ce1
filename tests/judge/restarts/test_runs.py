"""A program that is killed and started again is judged: events, kills, folders, a full disk."""

import pytest

from tests.judge.restarts.arena import BANK, COUNT, SOLUTION, judge
from torchstone.bank.schema import Limits
from torchstone.core import paths
from torchstone.core.errors import JudgeUnavailable
from torchstone.core.isolation import Isolation
from torchstone.judge.order import Order
from torchstone.judge.pool import variants
from torchstone.judge.pool.scratch import evaluate
from torchstone.judge.pool.worker_pool import WorkerPool

pytestmark = [pytest.mark.full, pytest.mark.sandbox]

BEGIN = "def count(folder, total, on_step):\n"


def with_act(act: str) -> str:
    """Return the solution that first does something in every run."""
    return SOLUTION.replace(BEGIN, f"{BEGIN}    import sys, threading, time\n    {act}\n")


def test_a_right_answer_is_accepted(pool: WorkerPool) -> None:
    report = judge(pool, SOLUTION)
    assert report.verdict == "AC", report
    assert report.stdout == ""


@pytest.mark.parametrize(
    ("old", "new", "group"),
    [
        ("range(done, total)", "range(total)", "plain"),
        ("range(done, total)", "range(done + 1, total)", "plain"),
        ("        on_step(step)\n", "        on_step(step)\n        on_step(step)\n", "plain"),
        ("value == value[:8] * 512", "True", "damage"),
        ('f"{folder}/tmp", "wb"', 'f"{folder}/ckpt_{step + 1:03d}", "wb"', "plain"),
    ],
)
def test_a_wrong_answer_fails(pool: WorkerPool, old: str, new: str, group: str) -> None:
    report = judge(pool, SOLUTION.replace(old, new))
    assert report.verdict in ("WA", "RTE"), report
    assert report.group == group or report.verdict == "RTE", report


def test_a_kill_comes_in_the_drawn_event(pool: WorkerPool) -> None:
    """The steps of every run are what the oracle expects, so no run goes on after its kill."""
    report = judge(pool, SOLUTION, "kill")
    assert report.verdict == "AC", report
    late = with_act("threading.Thread(target=lambda: [on_step(9) for _ in range(99)]).start()")
    assert judge(pool, late, "kill").verdict == "WA"


def test_the_runs_do_not_know_when_they_are_killed(pool: WorkerPool) -> None:
    act = """import gc
    for item in gc.get_objects():
        if isinstance(item, dict) and ("growth" in item or "kill" in item) and "do" in item:
            raise AssertionError("the plan of the kills is in memory")"""
    report = judge(pool, with_act(act), "kill")
    assert report.verdict == "AC", report


def test_an_exception_is_the_verdict(pool: WorkerPool) -> None:
    report = judge(pool, with_act("raise KeyError('mine')"), "plain")
    assert report.verdict == "RTE"
    assert report.error is not None
    assert report.error.type == "KeyError"


@pytest.mark.full
@pytest.mark.parametrize(
    ("act", "how"),
    [("os._exit(3)", "exit 3"), ("os._exit(70)", "exit 70"), ("os.abort()", "SIGABRT")],
)
def test_a_run_that_ends_itself_is_named(pool: WorkerPool, act: str, how: str) -> None:
    report = judge(pool, with_act(act), "plain")
    assert report.verdict == "RTE", report
    assert report.detail is not None
    assert f"the process of start 1 ended before its answer ({how})" in report.detail.en
    assert how in report.detail.zh


@pytest.mark.full
def test_a_run_that_waits_is_found_by_liveness(pool: WorkerPool) -> None:
    report = judge(pool, with_act("time.sleep(1000)"), "plain")
    assert report.verdict == "HUNG", report
    assert report.detail is not None
    assert "begin 1" in report.detail.en
    assert "第 1 次启动" in report.detail.zh


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ("def count(:", "CE"),
        ("count_ = 1", "CE"),
        ("raise ValueError(1)", "RTE"),
        ("import os; os._exit(70)", "RTE"),
        ("import ctypes", "FORBIDDEN_OP"),
    ],
)
def test_what_cannot_be_loaded(pool: WorkerPool, source: str, verdict: str) -> None:
    report = judge(pool, source, "plain")
    assert report.verdict == verdict, report
    assert report.cases == ()


@pytest.mark.full
def test_all_runs_share_the_time(pool: WorkerPool) -> None:
    limits = Limits(wall_s=20.0, cpu_s=2.0, memory_mib=512)
    report = judge(pool, with_act("while True: pass"), "plain", limits=limits)
    assert report.verdict == "TLE", report


def test_the_disk_is_limited(pool: WorkerPool) -> None:
    act = "[open(f'/box/job/big{number}', 'wb').write(bytes(4 << 20)) for number in range(9)]"
    report = judge(pool, with_act(act), "plain")
    assert report.verdict == "RTE", report
    assert report.error is not None
    assert "No space left" in report.error.message


def test_what_a_case_wrote_is_gone_in_the_next(pool: WorkerPool) -> None:
    groups = ("plain", "kill", "moved", "plain")
    report = judge(pool, SOLUTION, *groups)
    assert report.verdict == "AC", report


def test_a_wrong_answer_is_shown_with_its_case(pool: WorkerPool) -> None:
    report = judge(pool, SOLUTION.replace("range(done, total)", "range(total)"), explain=True)
    assert report.smallest is not None
    assert report.misconception is not None
    assert report.misconception.name == "from_the_start"


def test_a_mistake_that_no_variant_makes_is_not_named(pool: WorkerPool) -> None:
    source = SOLUTION.replace("range(done, total)", "range(done + 1, total)")
    assert judge(pool, source, explain=True).misconception is None


@pytest.mark.full
def test_no_mistake_is_named_where_a_variant_was_not_tried(
    pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(variants, "VARIANTS_OF_RUNS_SECONDS", 0.0)
    report = judge(pool, SOLUTION.replace("range(done, total)", "range(total)"), explain=True)
    assert report.misconception is None
    assert report.smallest is not None


def test_the_own_input_of_a_learner_is_evaluated_in_one_run(pool: WorkerPool) -> None:
    order = Order(assignment=COUNT, source=SOLUTION, seed=1)
    evaluated = evaluate(order, pool.workers(0), "count('mine', 2, print)")
    assert "2" in str(evaluated)


@pytest.mark.full
def test_without_a_disk_of_its_own_the_problem_is_refused_before_it_is_judged() -> None:
    made = WorkerPool(bank_root=BANK, cache=paths.cache_dir(), at_most=Isolation.CONFINED)
    with made.running(), pytest.raises(JudgeUnavailable) as raised:
        judge(made, SOLUTION)
    assert raised.value.code == "judge.no_disk"
    assert "96" in str(raised.value)
