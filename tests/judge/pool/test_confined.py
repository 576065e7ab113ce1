"""Every kind of submission is judged where neither root nor bubblewrap is there."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shipped import shipped_bank
from torchstone.bank.loader import CONTENT
from torchstone.core import paths
from torchstone.core.isolation import Isolation
from torchstone.judge.assignment import assignment_of
from torchstone.judge.order import JudgeFault, Order
from torchstone.judge.pool.worker_pool import WorkerPool

pytestmark = [pytest.mark.sandbox, pytest.mark.full]

BANK = shipped_bank()


@pytest.fixture(scope="module")
def worker_pool() -> Iterator[WorkerPool]:
    made = WorkerPool(bank_root=CONTENT, cache=paths.cache_dir(), at_most=Isolation.CONFINED)
    with made.running():
        yield made


def solution_of(number: str) -> Order:
    problem = BANK.get(number)
    return Order(
        assignment=assignment_of(problem),
        source=problem.solution.source,
        seed=3,
        groups=("sample",),
    )


# One of each kind; a package twice, for jobs of this level share a folder.
@pytest.mark.parametrize("numbers", [["01"], ["41"], ["42"], ["42op"], ["50", "50"]], ids="-".join)
def test_a_solution_of_each_kind_is_accepted(worker_pool: WorkerPool, numbers: list[str]) -> None:
    for number in numbers:
        report = worker_pool.judge(solution_of(number), lambda event: None)
        assert report.verdict == "AC", report.detail
    folders = list(Path(worker_pool._runtime.name).glob("build-*"))
    # Only of the compilers that wait for the next submission, one of each kind.
    assert len(folders) == len(worker_pool._build_service._spares)


def test_a_machine_that_cannot_build_a_package_is_a_fault_of_the_judge(
    worker_pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WorkerPool, "_seen_by", lambda self, kind: ())
    # Not a compiler that waits since it could.
    while worker_pool._build_service._spares:
        worker_pool._build_service._spares.popitem()[1].end()
    with pytest.raises(JudgeFault, match="No module named 'setuptools'"):
        worker_pool.judge(solution_of("50"), lambda event: None)
