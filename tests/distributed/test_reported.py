"""``Reported``: steps are told while the ranks train, and leaving ends the ranks."""

from __future__ import annotations

import threading

import pytest

from torchstone.distributed import World
from torchstone.distributed.reported import Reported
from torchstone.distributed.simulated import Part, Report, Trained

pytestmark = [pytest.mark.torch]

PATIENCE_S = 60


def part(loss: float, start_s: float, end_s: float) -> Part:
    return Part(loss=loss, start_s=start_s, end_s=end_s)


def test_a_step_has_the_mean_loss_and_ends_with_its_last_rank() -> None:
    def train(world: World, report: Report) -> Trained:
        for number in range(2):
            report(number, part(world.rank + number, number, number + 1 + world.rank))
        return Trained()

    reported = Reported(train, 3, link=None)
    steps = [(each.number, each.loss, each.start_s, each.end_s) for each in reported.steps()]
    assert steps == [(0, 1, 0, 3), (1, 2, 1, 4)]
    assert len(reported.ranks) == 3


def test_a_step_is_told_before_the_next_one_begins() -> None:
    was_read = threading.Event()
    seen = []

    def train(world: World, report: Report) -> Trained:
        report(0, part(0, 0, 1))
        world.comm().barrier()
        seen.append(was_read.wait(PATIENCE_S))
        return Trained()

    steps = Reported(train, 2, link=None).steps()
    assert next(steps).number == 0
    was_read.set()
    assert [*steps] == []
    assert seen == [True, True]


def test_leaving_ends_the_ranks() -> None:
    ended = []

    def train(world: World, report: Report) -> Trained:
        try:
            for number in range(10**9):
                report(number, part(0, 0, 1))
                world.comm().barrier()
        finally:
            ended.append(world.rank)
        return Trained()

    steps = Reported(train, 3, link=None).steps()
    next(steps)
    steps.close()
    assert sorted(ended) == [0, 1, 2]
    assert not [each for each in threading.enumerate() if each.name.startswith("rank")]


def test_what_a_rank_raises_is_raised_where_the_steps_are_read() -> None:
    def train(world: World, report: Report) -> Trained:
        report(0, part(0, 0, 1))
        if world.rank == 1:
            raise KeyError("lost")
        return Trained()

    steps = Reported(train, 2, link=None).steps()
    next(steps)
    with pytest.raises(KeyError, match="lost") as raised:
        next(steps)
    assert raised.value.__notes__ == ["on rank 1 of 2"]
