"""A wrong answer is explained by its misconception and a small case, or by nothing."""

import pytest

from tests.reports import tag
from torchstone.bank.loader import CONTENT, load_problem
from torchstone.core.patch import read_program
from torchstone.judge.assignment import assignment_of
from torchstone.judge.events import Event
from torchstone.judge.messages import Report, Words
from torchstone.judge.order import Order
from torchstone.judge.pool.worker_pool import WorkerPool

pytestmark = pytest.mark.sandbox

PROBLEM = load_problem(CONTENT / "problems/01_softmax")
WRONG = sorted((PROBLEM.path / "wrong").glob("*.py"))


def explain(
    worker_pool: WorkerPool, source: str, *, seed: int = 8, groups: tuple[str, ...] | None = None
) -> tuple[Report, list[Event]]:
    events: list[Event] = []
    order = Order(assignment=assignment_of(PROBLEM), source=source, seed=seed, groups=groups)
    return worker_pool.judge(order, events.append), events


@pytest.mark.gate("no_shift")
@pytest.mark.parametrize("name", ["no_shift", "detached_denominator", "wrong_default_dim"])
def test_a_wrong_variant_is_told_by_its_own_name(worker_pool: WorkerPool, name: str) -> None:
    source = (PROBLEM.path / f"wrong/{name}.py").read_text(encoding="utf-8")
    found, _ = explain(worker_pool, source)
    assert found.misconception is not None
    assert found.misconception.name == name
    assert found.misconception.cases >= 2


def test_an_answer_that_is_nobodys_mistake_is_told_nothing(worker_pool: WorkerPool) -> None:
    source = "def softmax(x, dim=-1, dtype=None):\n    return x * 0 + 0.123\n"
    found, _ = explain(worker_pool, source)
    assert found.verdict == "WA"
    assert found.misconception is None


def test_the_smallest_failing_case_is_small_and_fails_alike(worker_pool: WorkerPool) -> None:
    source = "def softmax(x, dim=-1, dtype=None):\n    return x.exp()\n"
    found, events = explain(worker_pool, source, groups=("small",))
    smallest = found.smallest
    (inputs, *_) = smallest.inputs
    assert inputs.name == "x"
    sizes = inputs.preview.shape
    assert all(size <= 3 for size in sizes)
    assert {row.aspect for row in smallest.rows} >= {"value"}
    assert smallest.rows[0].expected.shape == sizes
    kinds = [tag(event) for event in events]
    assert kinds[-4:] == ["verdict", "stage", "misconception", "smallest"]


def test_a_submission_that_dies_while_it_is_shrunk_keeps_its_verdict(
    worker_pool: WorkerPool,
) -> None:
    source = (
        "import os\nasked = []\n\n\n"
        "def softmax(x, dim=-1, dtype=None):\n"
        "    asked.append(x.numel())\n"
        "    if len(asked) == 1 and x.numel() < 6:\n        os._exit(0)\n"
        "    return x * 0\n"
    )
    found, _ = explain(worker_pool, source, groups=("sample",))
    assert found.verdict == "WA"
    assert found.smallest is not None


@pytest.mark.full
def test_a_right_answer_is_explained_by_nothing(worker_pool: WorkerPool) -> None:
    source = (PROBLEM.path / "solution.py").read_text(encoding="utf-8")
    found, events = explain(worker_pool, source, groups=("sample", "small"))
    assert found.verdict == "AC"
    assert (found.misconception, found.smallest) == (None, None)
    assert [tag(event) for event in events][-1] == "verdict"


def test_what_a_learner_prints_is_in_the_report(worker_pool: WorkerPool) -> None:
    source = (PROBLEM.path / "solution.py").read_text(encoding="utf-8")
    found, _ = explain(worker_pool, "print('seen \\x1b[31m')\n" + source, groups=("sample",))
    assert found.stdout == "seen [31m\n"


@pytest.mark.full
def test_what_the_driver_saw_is_said_in_both_languages_with_a_cleaned_name(
    worker_pool: WorkerPool,
) -> None:
    source = (
        "Odd = type('\\x1b[2JOdd{0}', (), {})\n"
        "def softmax(x, dim=-1, dtype=None):\n    return Odd()\n"
    )
    found, _ = explain(worker_pool, source, groups=("sample",))
    assert (found.verdict, found.aspect) == ("WA", "property")
    assert found.detail == Words(
        en="the result is [2JOdd{0}; expected a plain strided CPU torch.Tensor",
        zh="返回值是 [2JOdd{0}；应为普通的 CPU torch.Tensor",
    )
    assert found.smallest.rows[0].detail == found.detail


@pytest.mark.full
def test_variants_call_opaque_functions_as_well(worker_pool: WorkerPool) -> None:
    problem = load_problem(CONTENT / "problems/10_gradcheck")
    source = read_program(problem.path, "wrong/no_repeat.py")
    order = Order(assignment=assignment_of(problem), source=source, seed=8)
    found = worker_pool.judge(order, lambda event: None)
    assert found.verdict == "WA"
    assert found.misconception is not None
    assert found.misconception.name == "no_repeat"


OVERFLOW = """
import torch


def softmax(x, dim=-1, dtype=None):
    e = torch.exp(x)
    return e / e.sum(dim, keepdim=True)
"""


@pytest.mark.gate("8")
@pytest.mark.parametrize("seed", [8, 9, 2026])
def test_the_case_that_is_shown_has_the_mistake_that_is_named(
    worker_pool: WorkerPool, seed: int
) -> None:
    found, _ = explain(worker_pool, OVERFLOW, seed=seed)
    # Half precision fails first, for another reason.
    assert found.group == "half"
    assert found.misconception is not None
    assert found.misconception.name == "no_shift"
    assert found.misconception.unexplained is not None
    assert found.misconception.unexplained.groups[0] == "half"
    assert found.smallest.group == "scale"
    row = found.smallest.rows[0]
    assert (row.key, row.aspect) == ("out", "value")
    assert "nan" in row.actual.values
    assert "nan" not in row.expected.values
    (inputs, *_) = found.smallest.inputs
    assert max(map(abs, inputs.preview.values)) > 88
    assert len(inputs.preview.values) < 30


@pytest.mark.full
def test_a_native_case_is_shrunk_with_the_variant_that_is_named(worker_pool: WorkerPool) -> None:
    problem = load_problem(CONTENT / "problems/42_cuda_add")
    path = next(each for each in sorted((problem.path / "wrong").glob("*.cu")))
    source = read_program(problem.path, f"wrong/{path.name}")
    order = Order(assignment=assignment_of(problem), source=source, seed=8)
    found = worker_pool.judge(order, lambda event: None)
    assert found.misconception is not None
    assert path.stem in (found.misconception.name, *found.misconception.alternatives)
    assert found.smallest is not None
    assert found.smallest.rows
