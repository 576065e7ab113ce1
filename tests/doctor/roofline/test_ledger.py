"""The ledger: charged once, for all windows."""

from __future__ import annotations

import pytest

from tests.doctor.kernels import addition, case_of

pytestmark = pytest.mark.pure


def test_windows_share_the_charges_and_have_their_own_kernels() -> None:
    case = case_of([addition(1000, 1.0)])
    begin, end = case.window.steps[1]
    part = case.ledger.roofline(float(begin), float(end))
    assert part.charges is case.roofline.charges
    assert len(part.rows) < len(case.roofline.rows)
