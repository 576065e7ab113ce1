"""The account of a window: spans that are the window, with the shares of the report."""

from __future__ import annotations

import numpy as np
import pytest

from tests.doctor.charts.seen import view_of
from tests.doctor.made import STEP_US, Made
from torchstone.doctor.accounting import IDLE
from torchstone.doctor.charts.account import CLASSES, FIRST_IDLE, accounts_of, class_of
from torchstone.doctor.events import NONE
from torchstone.doctor.read.kinds import Kind

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("patient", ["loader", "launch", "communication", "pageable", "healthy"])
def test_the_spans_are_the_window_and_busy_shares_are_those_of_the_report(patient: str) -> None:
    case = view_of(patient).case
    (account,) = accounts_of(case)
    assert account.t0[0] == case.window.begin
    assert account.t1[-1] == pytest.approx(case.window.end)
    np.testing.assert_allclose(account.t1[:-1], account.t0[1:], atol=1e-6)
    took = account.t1 - account.t0
    for number, name in enumerate(CLASSES[:FIRST_IDLE]):
        share = took[account.classes == number].sum() / case.window.duration
        assert share == pytest.approx(case.accounting.shares[name], abs=1e-9)


def test_a_gap_has_the_class_of_its_largest_part() -> None:
    case = view_of("loader").case
    (account,) = accounts_of(case)
    assert account.gaps is not None
    is_gap = account.gap != NONE
    charged = account.gaps.charged[account.gap[is_gap]]
    assert (account.classes[is_gap] == FIRST_IDLE + charged.argmax(1)).all()
    assert (account.classes[~is_gap] < FIRST_IDLE).all()
    assert CLASSES[FIRST_IDLE : FIRST_IDLE + len(IDLE)] == IDLE


def test_without_a_device_the_operators_compute_and_the_rest_is_python() -> None:
    made = Made()
    for step in range(made.num_steps):
        made.operator("aten::mm", step * STEP_US + 1000, step * STEP_US + 4000)
    case = made.case()
    (account,) = accounts_of(case)
    assert account.device == NONE
    assert account.gaps is None
    took = account.t1 - account.t0
    compute = took[account.classes == CLASSES.index("compute")].sum()
    assert compute / case.window.duration == pytest.approx(0.3)
    python = took[account.classes == CLASSES.index("python")].sum()
    assert python / case.window.duration == pytest.approx(0.7)


def test_every_kind_of_event_has_a_class() -> None:
    found = {kind: CLASSES[class_of(kind)] for kind in Kind}
    assert found[Kind.KERNEL] == "compute"
    assert found[Kind.COPY_D2D] == "copy_d2d"
    assert found[Kind.LOADER] == "loader"
    assert found[Kind.PYTHON] == "python"
    assert found[Kind.STEP] == found[Kind.ANNOTATION] == "mark"
    assert found[Kind.COLLECTIVE] == "communication"
    assert found[Kind.OTHER] == "other"
