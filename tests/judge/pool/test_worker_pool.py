"""The zygotes of a workshop: one stem for each set of bans, few of them, and none of them vital."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from torchstone.bank.loader import CONTENT, load_bank
from torchstone.core import paths
from torchstone.judge.assignment import assignment_of
from torchstone.judge.order import Order
from torchstone.judge.pool.payload import bans_of
from torchstone.judge.pool.reference_process import MAX_JOBS
from torchstone.judge.pool.submission_process import Mode
from torchstone.judge.pool.worker_pool import NUM_STEMS, Workshop
from torchstone.judge.pool.zygotes import Job, ZygoteDied
from torchstone.judge.sandbox.command import Role

pytestmark = pytest.mark.sandbox

BANK = load_bank()
SOFTMAX = assignment_of(BANK.get("01"))
NONE = {"families": [], "forward_only": [], "functions": [], "modules": []}


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    made = Workshop(bank_root=CONTENT, cache=paths.cache_dir())
    with made.running():
        yield made


def samples(workshop: Workshop, number: str) -> str:
    problem = BANK.get(number)
    order = Order(
        assignment=assignment_of(problem),
        source=problem.solution.source,
        seed=3,
        groups=("sample",),
    )
    return str(workshop.judge(order, lambda event: None).verdict)


def descendants(pid: int) -> set[int]:
    """List the processes below one of ours, by the file in which the kernel keeps children."""
    below: set[int] = set()
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            below |= {int(child)} | descendants(int(child))
    return below


def test_the_same_bans_are_imposed_once(workshop: Workshop) -> None:
    stem = workshop.crew(0).stem
    bans = bans_of(SOFTMAX, Mode.PLAIN)
    assert stem(bans) is stem(dict(bans))
    assert stem(bans) is not stem(NONE)


def test_a_stem_that_died_is_replaced(workshop: Workshop) -> None:
    assert samples(workshop, "01") == "AC"
    stem = workshop.crew(0).stem
    bans = bans_of(SOFTMAX, Mode.PLAIN)
    old, before = stem(bans), descendants(os.getpid())
    fresh = stem(NONE | {"modules": ["colorsys"]})
    (pid,) = descendants(os.getpid()) - before
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while fresh.alive and time.monotonic() < deadline:
        time.sleep(0.01)
    assert stem(NONE | {"modules": ["colorsys"]}) is not fresh
    assert stem(bans) is old
    assert samples(workshop, "01") == "AC"


def test_bans_that_nobody_knows_are_a_fault_with_words(workshop: Workshop) -> None:
    with pytest.raises(ZygoteDied, match="no family of operators is called 'soft'"):
        workshop.crew(0).stem(NONE | {"families": ["soft"]})
    assert samples(workshop, "01") == "AC"


def test_a_stem_that_cannot_join_its_group_says_so_and_harms_nobody(workshop: Workshop) -> None:
    zygote = workshop._running.zygotes[Role.SUBMISSION]
    unwritable = os.open("/dev/null", os.O_RDONLY)
    stem = zygote.grow_stem(NONE, [unwritable])
    assert not stem.wait_ready(10)
    assert "Bad file descriptor" in stem.words
    stem.close()
    assert zygote.alive
    assert samples(workshop, "01") == "AC"


def test_few_stems_are_kept_and_the_others_end(workshop: Workshop) -> None:
    stem = workshop.crew(0).stem
    for number in range(3 * NUM_STEMS):
        stem(NONE | {"modules": [f"nothing{number}"]})
    # Besides the stems: bubblewrap, the nursery, the two zygotes and a warm reference.
    most = NUM_STEMS * workshop.capacity + 6
    deadline = time.monotonic() + 10
    while len(descendants(workshop.pids[0])) > most and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(descendants(workshop.pids[0])) <= most
    assert samples(workshop, "02") == "AC"


def test_stems_end_with_the_workshop() -> None:
    made = Workshop(bank_root=CONTENT, cache=paths.cache_dir())
    before = descendants(os.getpid())
    with made.running():
        made.crew(0).stem(NONE)
        assert len(descendants(os.getpid()) - before) > 3
    assert descendants(os.getpid()) <= before


def test_a_reference_serves_many_jobs_and_then_another_takes_its_place(workshop: Workshop) -> None:
    order = Order(assignment=SOFTMAX, source="", seed=3, groups=("sample",))
    served: list[Job] = []
    for _ in range(MAX_JOBS + 1):
        with workshop.bench(order) as bench:
            served.append(bench.job)
            last = bench
    # It may have served before; and nobody serves for ever.
    ids = [id(job) for job in served]
    assert len(set(ids)) == 2
    assert max(map(ids.count, ids)) <= MAX_JOBS
    assert not last.is_worn


def test_a_reference_that_ran_an_editorial_judges_nobody() -> None:
    order = Order(assignment=SOFTMAX, source="", seed=3, groups=("sample",))
    with Workshop(bank_root=CONTENT, cache=paths.cache_dir()).running() as workshop:
        with workshop.bench(order) as first:
            pass
        with workshop.bench(order) as again:
            assert again is first
            assert again.run_cells(["import torch\ntorch.set_default_dtype(torch.float64)"]) == ""
        with workshop.bench(order) as other:
            assert other is not again
