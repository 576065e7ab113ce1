"""A thousand jobs leave nothing behind, and no two of them share their random numbers."""

import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.judge.left import count_what_is_left, have_references_wait
from torchstone.bank.loader import CONTENT, load_problem
from torchstone.core import paths
from torchstone.core.isolation import Isolation
from torchstone.judge.assignment import assignment_of
from torchstone.judge.messages import Report
from torchstone.judge.order import Order
from torchstone.judge.pool.worker_pool import WorkerPool

pytestmark = pytest.mark.sandbox

PROBLEM = load_problem(CONTENT / "problems/01_softmax")
SOLUTION = (PROBLEM.path / "solution.py").read_text(encoding="utf-8")
RANDOM = "import random\nimport sys\n\nimport torch\n\n"
RANDOM += "sys.stdout.write(f'{random.random()} {torch.rand(1).item()} {torch.initial_seed()}')\n"


@pytest.fixture(scope="module", params=[Isolation.FULL, Isolation.CONFINED], ids=str)
def worker_pool(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    strangers: list[int],
) -> Iterator[WorkerPool]:
    with pytest.MonkeyPatch.context() as patch:
        # Temporary files are counted, so none but this test's may be among them.
        patch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("left")))
        made = WorkerPool(
            bank_root=CONTENT, cache=paths.cache_dir(), capacity=2, at_most=request.param
        )
        with made.running():
            yield made


def order(source: str) -> Order:
    return Order(
        assignment=assignment_of(PROBLEM),
        source=source,
        seed=3,
        groups=("sample",),
        explain=False,
    )


def judge(worker_pool: WorkerPool, source: str, num_jobs: int) -> list[Report]:
    """Judge a source many times on both slots."""
    ordered = order(source)

    def work(slot: int) -> list[Report]:
        return [
            worker_pool.judge(ordered, lambda event: None, slot=slot) for _ in range(num_jobs // 2)
        ]

    with ThreadPoolExecutor(2) as threads:
        return [report for reports in threads.map(work, (0, 1)) for report in reports]


@pytest.mark.full
def test_a_thousand_jobs_leave_nothing_behind(
    worker_pool: WorkerPool, strangers: list[int]
) -> None:
    judge(worker_pool, SOLUTION, 20)
    have_references_wait(worker_pool, order(SOLUTION), num=2)
    before = count_what_is_left(besides=strangers)
    reports = judge(worker_pool, SOLUTION, 1000)
    assert [report.verdict for report in reports] == ["AC"] * 1000
    have_references_wait(worker_pool, order(SOLUTION), num=2)
    assert count_what_is_left(besides=strangers) == before


@pytest.mark.full
def test_no_two_jobs_draw_the_same_random_numbers(worker_pool: WorkerPool) -> None:
    drawn = [report.stdout.split() for report in judge(worker_pool, RANDOM + SOLUTION, 8)]
    assert all(len(numbers) == 3 for numbers in drawn)
    for position in range(3):
        assert len({numbers[position] for numbers in drawn}) == 8
