"""Each family is refused by each route and in each state, and allowed operators pass in each.

The default run takes a part that covers every family by every route and in every state. The whole
product: ``python -m tests.judge.native.matrix.runner``.
"""

import tomllib
from collections.abc import Iterator

import pytest

from tests.judge.native.matrix import plan
from tests.judge.native.matrix.runner import CHILD, Matrix
from tests.judge.native.matrix.samples import AUTOGRAD
from tests.run_folder import run_folder

pytestmark = [pytest.mark.torch, pytest.mark.attack, pytest.mark.full]

TABLE = tomllib.loads((CHILD / "native" / "families.toml").read_text(encoding="utf-8"))
# Those that ban functions alone have no operator to call, and tests of their own.
OF_OPERATORS = [
    name
    for name, each in TABLE.items()
    if each.get("operators") or each.get("includes") or name in AUTOGRAD
]
FAMILIES = (*OF_OPERATORS, plan.FORWARD_ONLY)


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Matrix]:
    made = Matrix(run_folder("matrix", tmp_path_factory))
    yield made
    made.close()


@pytest.mark.full
@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_refused_by_each_route_and_in_each_state(matrix: Matrix, family: str) -> None:
    cells = [each for each in plan.chosen(matrix.cells) if each.family == family]
    assert matrix.wrong(family, cells) == []


def test_the_part_covers_every_family_by_every_route_and_in_every_state(matrix: Matrix) -> None:
    part = plan.chosen(matrix.cells)
    for pair in (lambda cell: (cell.family, cell.route), lambda cell: (cell.family, cell.state)):
        assert {pair(each) for each in part} == {pair(each) for each in matrix.cells}


def test_nothing_is_left_out_without_a_rule(matrix: Matrix) -> None:
    """Each family, route and state is a cell, or has a rule, or a family has no such member."""
    cells = {(each.family, each.route, each.state) for each in matrix.cells}
    routes = sum(len(names) for names in plan.without_samples(matrix.samples).values())
    whole = len(FAMILIES) * len(plan.ROUTES) * len(plan.STATES)
    left_out = plan.skipped(matrix.samples)
    assert len(cells) + left_out.total() + routes * len(plan.STATES) == whole
    assert set(left_out) == {rule[0] for rule in plan.RULES}


def test_each_overload_of_a_family_is_called(matrix: Matrix) -> None:
    """Those alone are not whose arguments are objects of C++ that other operators make."""
    for family, members in matrix.members.items():
        routes = matrix.samples[family]
        called = {
            each.name for name in ("overload", "other layout") for each in routes.get(name, ())
        }
        assert set(members) - called <= set(matrix.left["objects of C++"]), family
    assert len(matrix.left["objects of C++"]) <= 87
    assert matrix.left["other hardware"] == []
