"""A verdict stands when it cannot be explained."""

from typing import Any

import pytest

from tests.reports import tag
from torchstone.bank.loader import CONTENT, load_problem
from torchstone.core import paths
from torchstone.judge.assignment import assignment_of
from torchstone.judge.child.protocol.frames import ToReference
from torchstone.judge.child.protocol.orders import Bare
from torchstone.judge.events import Event
from torchstone.judge.order import Order
from torchstone.judge.pool.reference_process import ReferenceProcess
from torchstone.judge.pool.worker_pool import WorkerPool
from torchstone.judge.replies import Named

pytestmark = pytest.mark.sandbox

WRONG = "def softmax(x, dim=-1, dtype=None):\n    return x * 0\n"


def die(reference: ReferenceProcess) -> Any:
    reference.job.kill()
    reference.job.wait()
    return reference._ask(ToReference.NAME, Bare(), Named)


@pytest.mark.full
def test_a_reference_that_dies_while_it_explains_changes_no_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assignment = assignment_of(load_problem(CONTENT / "problems/01_softmax"))
    order = Order(assignment=assignment, source=WRONG, seed=5, groups=("sample",))
    worker_pool = WorkerPool(bank_root=CONTENT, cache=paths.cache_dir())
    events: list[Event] = []
    with worker_pool.running():
        monkeypatch.setattr(ReferenceProcess, "explain", die)
        with pytest.warns(RuntimeWarning, match="no explanation"):
            report = worker_pool.judge(order, events.append)
        monkeypatch.undo()
        assert [tag(event) for event in events] == [
            "stage", "started", "stage", "case", "verdict", "stage",
        ]  # fmt: skip
        assert (report.verdict, report.misconception, report.smallest) == (
            "WA",
            None,
            None,
        )
        assert worker_pool.judge(order, events.append).smallest
