"""What rules ask: nothing where little is modelled, and shares of the window else."""

from __future__ import annotations

import pytest

from tests.doctor.kernels import Op, addition, case_of
from torchstone.doctor.rank import rank
from torchstone.doctor.roofline.judged import judged

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(("us", "is_known"), [(95.0, True), (105.0, False)])
def test_half_of_the_time_must_be_modelled(us: float, is_known: bool) -> None:
    known = Op(name="aten::exp", dims=[[1 << 20]], us=100)
    case = case_of([known, Op(name="mine::kernel", dims=[[8]], us=us)])
    assert (judged(case) is not None) == is_known


def test_a_share_is_one_of_the_window() -> None:
    one = addition(1 << 24, 0.8)
    found = judged(case_of([one], idle_us=one.us))
    assert found is not None
    assert found.share(found.roofline.time) == pytest.approx(0.5, abs=0.01)


def test_where_unknown_kernels_have_the_time_the_verdict_is_that_nothing_is_known() -> None:
    (verdict,) = rank(case_of([Op(name="mine::kernel", dims=[[8]], us=500)]))
    assert (verdict.code, verdict.variant) == ("TS-U001", "modelled")
    assert verdict.confidence < 0.5
