"""The window: steps, or what tells of them, up to what they launched."""

from __future__ import annotations

import numpy as np
import pytest

from tests.doctor.simulated import Row, made
from torchstone.doctor.correlate import find_launches
from torchstone.doctor.read.kinds import Kind
from torchstone.doctor.window import Window, find_window, step_times

pytestmark = pytest.mark.pure


def window_of(*rows: Row) -> Window | None:
    events = made(rows)
    return find_window(events, find_launches(events))


def found(*rows: Row) -> Window:
    window = window_of(*rows)
    assert window is not None
    return window


def step(number: int, begin: float, end: float, lane: int = 0) -> Row:
    name = f"ProfilerStep#{number}"
    return Row(kind=Kind.STEP, begin=begin, end=end, name=name, lane=lane)


def work(number: int, launched: float, begin: float, end: float) -> tuple[Row, Row]:
    return (
        Row(kind=Kind.LAUNCH, begin=launched, end=launched + 1, correlation=number),
        Row(kind=Kind.KERNEL, begin=begin, end=end, correlation=number, lane=17),
    )


def test_the_window_is_the_steps_and_what_they_launched() -> None:
    window = found(
        *work(1, 2, 5, 12),
        step(3, 10, 20),
        step(4, 22, 30),
        *work(2, 28, 40, 55),
        # Launched behind the steps.
        *work(3, 60, 70, 90),
    )
    assert (window.begin, window.end, window.how) == (10, 55, "steps")
    assert window.steps.tolist() == [[10, 22], [22, 30]]
    assert window.step_us == np.median([12, 33])


def test_what_was_launched_before_is_not_in_the_first_step() -> None:
    window = found(*work(1, 2, 5, 400), step(3, 10, 20), step(4, 20, 30), *work(2, 12, 400, 405))
    assert window.begin == 10
    assert window.cuts.tolist()[0] == 10


def test_a_host_that_is_ahead_has_steps_as_long_as_the_device_takes() -> None:
    rows: list[Row] = []
    for at in range(4):
        rows += [
            step(at, 10 * at, 10 * at + 10),
            *work(at + 1, 10 * at + 2, 100 * at + 5, 100 * at + 105),
        ]
    window = found(*rows)
    assert window.cuts.tolist() == [0, 105, 205, 305, 405]
    assert step_times(window).tolist() == [105, 100, 100, 100]
    assert window.step_us == 100
    assert [(part.begin, part.end) for part in window.parts()] == [
        *((0, 105), (105, 205), (205, 305), (305, 405)),
    ]


def test_a_step_of_several_threads_is_one() -> None:
    window = found(step(1, 0, 10), step(1, 2, 9, lane=1), step(2, 10, 20), step(2, 11, 20, lane=1))
    assert window.steps.tolist() == [[0, 10], [10, 20]]


def test_a_number_that_comes_again_later_is_another_step() -> None:
    window = found(step(0, 0, 10), step(1, 10, 20), step(0, 50, 60), step(1, 60, 70))
    assert window.steps[:, 0].tolist() == [0, 10, 50, 60]


def test_where_no_launch_is_known_all_of_the_device_counts() -> None:
    kernel = Row(kind=Kind.KERNEL, begin=12, end=50, lane=17)
    assert found(step(1, 0, 10), kernel).end == 50


def update(begin: float) -> Row:
    return Row(kind=Kind.OPTIMIZER, begin=begin, end=begin + 2, name="Optimizer.step#SGD.step")


def test_without_steps_an_optimiser_tells_of_them() -> None:
    op = Row(kind=Kind.OPERATOR, begin=0, end=1)
    window = found(op, *(update(10 * at) for at in range(1, 5)))
    assert (window.how, window.steps.tolist()) == ("optimizer", [[12, 22], [22, 32], [32, 42]])
    window = found(op, *(update(10 * at) for at in range(1, 4)))
    assert window.how == "whole"


def test_without_both_the_whole_is_one_step() -> None:
    window = found(
        Row(kind=Kind.PYTHON, begin=0, end=900),
        Row(kind=Kind.OPERATOR, begin=5, end=9),
        Row(kind=Kind.KERNEL, begin=20, end=30, lane=17),
    )
    assert (window.begin, window.end, window.how) == (5, 30, "whole")
    assert window.step_us == window.duration == 25


def test_nothing_has_no_window() -> None:
    assert window_of(Row(kind=Kind.PYTHON, begin=0, end=9)) is None
    assert window_of(Row(kind=Kind.OPERATOR, begin=3, end=3)) is None
    assert window_of(step(1, 3, 3)) is None
