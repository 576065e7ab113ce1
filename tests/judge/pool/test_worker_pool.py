"""The zygotes of a worker pool: one template for each set of bans, few of them, none vital."""

import os
import signal
import time
from pathlib import Path

import pytest

from tests.shipped import shipped_bank
from torchstone.bank.loader import CONTENT
from torchstone.core import paths
from torchstone.core.isolation import Isolation
from torchstone.judge.assignment import assignment_of
from torchstone.judge.order import Order
from torchstone.judge.pool.payload import bans_of
from torchstone.judge.pool.reference_process import MAX_JOBS
from torchstone.judge.pool.submission_process import Mode
from torchstone.judge.pool.worker_pool import NUM_TEMPLATES, WorkerPool
from torchstone.judge.pool.zygotes import Job, ZygoteDied
from torchstone.judge.sandbox.command import Role

pytestmark = pytest.mark.sandbox

BANK = shipped_bank()
SOFTMAX = assignment_of(BANK.get("01"))
NONE = {"families": [], "forward_only": [], "functions": [], "modules": []}


def samples(worker_pool: WorkerPool, number: str) -> str:
    problem = BANK.get(number)
    order = Order(
        assignment=assignment_of(problem),
        source=problem.solution.source,
        seed=3,
        groups=("sample",),
    )
    return str(worker_pool.judge(order, lambda event: None).verdict)


def descendants(pid: int) -> set[int]:
    """List the processes below one of ours, by the file in which the kernel keeps children."""
    below: set[int] = set()
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            below |= {int(child)} | descendants(int(child))
    return below


@pytest.mark.full
def test_the_same_bans_are_imposed_once(worker_pool: WorkerPool) -> None:
    template = worker_pool.workers(0).template
    bans = bans_of(SOFTMAX, Mode.PLAIN)
    assert template(bans) is template(dict(bans))
    assert template(bans) is not template(NONE)


def test_a_template_that_died_is_replaced(worker_pool: WorkerPool) -> None:
    assert samples(worker_pool, "01") == "AC"
    template = worker_pool.workers(0).template
    bans = bans_of(SOFTMAX, Mode.PLAIN)
    old, before = template(bans), descendants(os.getpid())
    fresh = template(NONE | {"modules": ["colorsys"]})
    (pid,) = descendants(os.getpid()) - before
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while fresh.alive and time.monotonic() < deadline:
        time.sleep(0.01)
    assert template(NONE | {"modules": ["colorsys"]}) is not fresh
    assert template(bans) is old
    assert samples(worker_pool, "01") == "AC"


def test_bans_that_nobody_knows_are_a_fault_with_words(worker_pool: WorkerPool) -> None:
    with pytest.raises(ZygoteDied, match="no family of operators is called 'soft'"):
        worker_pool.workers(0).template(NONE | {"families": ["soft"]})
    assert samples(worker_pool, "01") == "AC"


@pytest.mark.full
def test_a_template_that_cannot_join_its_group_says_so_and_harms_nobody(
    worker_pool: WorkerPool,
) -> None:
    zygote = worker_pool._running.zygotes[Role.SUBMISSION]
    unwritable = os.open("/dev/null", os.O_RDONLY)
    template = zygote.fork_template(NONE, [unwritable])
    assert not template.wait_ready(10)
    assert "Bad file descriptor" in template.failure
    template.close()
    assert zygote.alive
    assert samples(worker_pool, "01") == "AC"


@pytest.mark.full
def test_few_templates_are_kept_and_the_others_end(worker_pool: WorkerPool) -> None:
    template = worker_pool.workers(0).template
    for number in range(3 * NUM_TEMPLATES):
        template(NONE | {"modules": [f"nothing{number}"]})
    # Besides the templates: bubblewrap, the zygote parent, the two zygotes and a warm reference.
    most = NUM_TEMPLATES * worker_pool.capacity + 6
    deadline = time.monotonic() + 10
    while len(descendants(worker_pool.pids[0])) > most and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(descendants(worker_pool.pids[0])) <= most
    assert samples(worker_pool, "02") == "AC"


@pytest.mark.full
def test_templates_end_with_the_pool() -> None:
    made = WorkerPool(bank_root=CONTENT, cache=paths.cache_dir())
    before = descendants(os.getpid())
    with made.running():
        made.workers(0).template(NONE)
        assert len(descendants(os.getpid()) - before) > 3
    assert descendants(os.getpid()) <= before


def test_a_reference_serves_many_jobs_and_then_another_takes_its_place(
    worker_pool: WorkerPool,
) -> None:
    order = Order(assignment=SOFTMAX, source="", seed=3, groups=("sample",))
    served: list[Job] = []
    for _ in range(MAX_JOBS + 1):
        with worker_pool.reference(order) as reference:
            served.append(reference.job)
            last = reference
    # It may have served before; and nobody serves for ever.
    ids = [id(job) for job in served]
    assert len(set(ids)) == 2
    assert max(map(ids.count, ids)) <= MAX_JOBS
    assert not last.is_worn


@pytest.mark.full
def test_a_reference_that_ran_an_editorial_judges_nobody() -> None:
    order = Order(assignment=SOFTMAX, source="", seed=3, groups=("sample",))
    with WorkerPool(bank_root=CONTENT, cache=paths.cache_dir()).running() as worker_pool:
        with worker_pool.reference(order) as first:
            pass
        with worker_pool.reference(order) as again:
            assert again is first
            assert again.run_cells(["import torch\ntorch.set_default_dtype(torch.float64)"]) == ""
        with worker_pool.reference(order) as other:
            assert other is not again


@pytest.mark.gate("False")
@pytest.mark.parametrize("has_run", [False, True])
@pytest.mark.full
def test_a_job_is_judged_though_the_control_groups_vanished(has_run: bool) -> None:
    with WorkerPool(bank_root=CONTENT, cache=paths.cache_dir()).running() as pool:
        if pool.isolation is not Isolation.FULL:
            return  # there are no control groups
        if has_run:
            assert samples(pool, "01") == "AC"
        old = pool._groups[0].group
        for pid in (old.folders[0] / "cgroup.procs").read_text().split():
            os.kill(int(pid), signal.SIGKILL)
        old.remove(patience_s=10.0)
        assert samples(pool, "01") == "AC"
        assert samples(pool, "05") == "AC"
        new = pool._groups[0].group
        assert new.folders != old.folders
        assert new.num_processes() > 0, "the job ran within the new limits"
    assert not any(folder.exists() for folder in new.folders)
