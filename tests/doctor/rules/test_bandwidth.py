"""K003: chains of operators on elements, and one alone."""

from __future__ import annotations

import pytest

from tests.doctor.kernels import addition, case_of, product
from torchstone.doctor.rank import rank
from torchstone.doctor.rules.bandwidth import find

pytestmark = pytest.mark.pure

SIZE = 1 << 26


def test_a_chain_can_win_what_it_reads_again() -> None:
    found = find(case_of([addition(SIZE, 0.8), addition(SIZE, 0.8, "aten::mul")]))
    assert found is not None
    assert found.evidence["efficiency"] == pytest.approx(0.8, rel=1e-3)
    # Of each second operator, one third of what it moves was written just before.
    assert found.recoverable == pytest.approx(found.share / 2 / 3, rel=0.01)
    assert found.evidence["intensity"] < found.evidence["ridge"]


def test_one_operator_at_the_bandwidth_is_healthy() -> None:
    first, second = rank(case_of([addition(SIZE, 0.9), product(2048, 0.7)]))
    assert (first.code, second.code) == ("TS-H001", "TS-K003")
    assert second.confidence < 0.5


@pytest.mark.parametrize(("efficiency", "is_found"), [(0.39, False), (0.41, True)])
def test_the_border_of_the_efficiency(efficiency: float, is_found: bool) -> None:
    assert (find(case_of([addition(SIZE, efficiency)])) is not None) == is_found


def test_half_of_the_modelled_time_is_needed() -> None:
    one = addition(SIZE, 0.8)
    other = product(4096, 0.7, times=1 + int(one.us / product(4096, 0.7).us))
    assert find(case_of([one, other])) is None
