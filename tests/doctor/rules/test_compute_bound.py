"""K001: where products reach little of the peak, and where they reach it."""

from __future__ import annotations

import pytest

from tests.doctor.kernels import addition, case_of, product
from torchstone.doctor.rank import rank
from torchstone.doctor.rules.compute_bound import find

pytestmark = pytest.mark.pure


def test_products_at_a_third_of_the_peak_can_win_the_rest_up_to_seventy_percent() -> None:
    found = find(case_of([product(4096, 0.35)]))
    assert found is not None
    assert found.evidence["efficiency"] == pytest.approx(0.35, rel=1e-3)
    assert found.recoverable == pytest.approx(found.share * 0.5, rel=0.01)
    # 4096 / 3 operations for a byte, and 989 / 3.35 at the ridge.
    assert found.evidence["intensity"] == pytest.approx(4096 / 3)
    assert found.evidence["ridge"] == pytest.approx(989 / 3.35)


def test_an_efficient_run_is_healthy_and_told_that_it_is_compute_bound() -> None:
    first, second = rank(case_of([product(4096, 0.8)]))
    assert (first.code, second.code) == ("TS-H001", "TS-K001")
    assert second.recoverable == 0.0
    assert second.confidence < 0.5


@pytest.mark.parametrize(("size", "is_found"), [(1100, False), (1107, True)])
def test_the_border_is_at_five_quarters_of_the_ridge(size: int, is_found: bool) -> None:
    # 1.25 * 989 / 3.35 is 369.03, and the intensity a third of the size.
    assert (find(case_of([product(size + 1, 0.3)])) is not None) == is_found


def test_half_of_the_modelled_time_is_needed() -> None:
    one = product(4096, 0.3)
    size = int(one.us * 1.01 * 0.8 * 3.35e6 / 12)
    assert find(case_of([one, addition(size, 0.8)])) is None
    assert find(case_of([one, addition(size * 9 // 10, 0.8)])) is not None


def test_nothing_is_said_of_a_card_that_the_table_does_not_have() -> None:
    assert find(case_of([product(4096, 0.3)], card={"name": "Unheard of"})) is None


def test_nothing_is_said_where_the_device_mostly_waits() -> None:
    one = product(4096, 0.3)
    assert find(case_of([one], idle_us=one.us)) is None
