"""One rank that comes late, at the thresholds of TS-C003."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.doctor.made import OTHER, Made
from torchstone.doctor.case import Case
from torchstone.doctor.rules import straggler

pytestmark = pytest.mark.pure


def rank(number: int, spent: list[float]) -> Case:
    run = Made()
    for step, took in zip(run.each_step(), spent, strict=True):
        run.operator("aten::mm", step, step + 100)
        run.span("gloo:all_reduce", "user_annotation", step + 1000, step + 1000 + took, tid=OTHER)
    return run.case(rank=number)


def judged(*spent: list[float]) -> Case:
    first, *others = [rank(number, each) for number, each in enumerate(spent)]
    return replace(first, others=tuple(others))


def test_the_rank_that_does_not_wait_is_the_late_one() -> None:
    found = straggler.find(judged([4000.0] * 4, [500.0] * 4, [4000.0] * 4))
    assert found is not None
    assert (found.evidence["rank"], found.evidence["ranks"]) == (1, 3)
    assert found.share == pytest.approx(0.35)


def test_one_rank_alone_and_ranks_that_take_turns_say_nothing() -> None:
    assert straggler.find(judged([4000.0] * 4)) is None
    turns = ([5000.0, 100.0, 5000.0, 100.0], [100.0, 5000.0, 100.0, 5000.0])
    assert straggler.find(judged(*turns)) is None


@pytest.mark.parametrize(
    ("late_us", "is_found"),
    [(1990.0, True), (2010.0, False)],
)
def test_half_of_the_others_decides(late_us: float, is_found: bool) -> None:
    case = judged([4000.0] * 4, [late_us] * 4)
    assert (straggler.find(case) is not None) == is_found
