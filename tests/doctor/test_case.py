"""A case: what rules look at."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.doctor.simulated import Row, made, simulated
from torchstone.doctor.case import Case, make_case, median, thresholds
from torchstone.doctor.events import NONE
from torchstone.doctor.read.kinds import Kind
from torchstone.doctor.read.run import read_run
from torchstone.doctor.source import Device

pytestmark = pytest.mark.pure


def case_of(*rows: Row) -> Case:
    step = Row(kind=Kind.STEP, begin=0, end=1000, name="ProfilerStep#1")
    case = make_case(made([step, *rows]), Device())
    assert case is not None
    return case


def test_a_copy_is_exposed_where_nothing_computes() -> None:
    copy = Row(kind=Kind.COPY_H2D, begin=100, end=300, lane=18)
    other = Row(kind=Kind.COPY_H2D, begin=250, end=400, lane=18)
    case = case_of(copy, other, Row(kind=Kind.KERNEL, begin=200, end=260, lane=17))
    rows = case.events.of(Kind.COPY_H2D)
    assert case.exposed(rows) == pytest.approx(0.24)
    assert case.exposed(rows[:1]) == pytest.approx(0.14)
    assert case.exposed(rows) == pytest.approx(case.accounting.shares["copy_h2d"])


def test_preparation_is_long_python_between_operators() -> None:
    launch = Row(kind=Kind.LAUNCH, begin=600, end=610, correlation=3)
    kernel = Row(kind=Kind.KERNEL, begin=610, end=990, correlation=3, lane=17)
    frame = Row(kind=Kind.PYTHON, begin=0, end=1000, python=1, name="train.py(3): f")
    ops = [Row(kind=Kind.OPERATOR, begin=b, end=b + 10) for b in (100, 350)]
    case = case_of(launch, kernel, frame, *ops)
    # From 0 to 100 and the end are short.
    assert case.preparation.pairs().tolist() == [[110, 350], [360, 600]]


def test_kernels_know_their_innermost_operator() -> None:
    rows = [
        Row(kind=Kind.OPERATOR, begin=10, end=90, name="outer"),
        Row(kind=Kind.OPERATOR, begin=20, end=80, name="inner"),
        Row(kind=Kind.LAUNCH, begin=30, end=40, correlation=3),
        Row(kind=Kind.KERNEL, begin=50, end=99, correlation=3, lane=17),
        Row(kind=Kind.KERNEL, begin=100, end=120, lane=17),
    ]
    case = case_of(*rows)
    one, two = case.operator_of.tolist()
    assert case.events.names[case.events.name[one]] == "inner"
    assert two == NONE


def test_the_main_thread_is_that_of_the_steps() -> None:
    busy = [Row(kind=Kind.OPERATOR, begin=at, end=at + 1, lane=1) for at in range(50)]
    assert case_of(*busy).main == 0


def test_shares_of_steps_are_those_of_their_parts(tmp_path: Path) -> None:
    (read,) = read_run([simulated(tmp_path, "loader")]).ranks
    case = make_case(read.events, read.device)
    assert case is not None
    shares = [each["idle.loader"] for each in case.step_shares]
    assert len(shares) == case.num_steps == 6
    lengths = np.diff(case.window.cuts)
    mean = float(np.average(shares, weights=lengths))
    assert mean == pytest.approx(case.accounting.shares["idle.loader"], abs=1e-6)


def test_a_run_in_which_nothing_happens_is_no_case() -> None:
    assert make_case(made([]), Device()) is None


def test_thresholds_are_numbers_by_name() -> None:
    assert thresholds("D001")["share"] == 0.1
    assert median(np.array([3.0, 1.0, 2.0])) == 2.0
    assert median(np.zeros(0)) == 0.0
