"""``Activity``: what a rank computes, and for whom it waits."""

from __future__ import annotations

import pytest
import torch

from torchstone.distributed.comm.activity import Activity
from torchstone.distributed.comm.threads import Link, Simulation, run_ranks

pytestmark = [pytest.mark.torch]


def test_a_computation_that_goes_on_is_one_and_none_takes_no_time() -> None:
    activity = Activity()
    for start, end, label in ((0, 1, "F0"), (1, 2, "F0"), (2, 2, "F1"), (2, 3, "B0"), (4, 5, "B0")):
        activity.compute(start, end, label)
    spans = [(each.start_s, each.end_s, each.label) for each in activity.computed]
    assert spans == [(0, 2, "F0"), (2, 3, "B0"), (4, 5, "B0")]


@pytest.mark.parametrize(
    ("last_s", "wanted"),
    [
        (1.0, [(2, 6, None)]),
        (2.0, [(2, 6, None)]),
        (5.0, [(2, 5, 1), (5, 6, None)]),
        (6.0, [(2, 6, 1)]),
        (9.0, [(2, 6, 1)]),
    ],
)
def test_a_wait_is_first_for_the_last_rank_and_then_for_the_bytes(
    last_s: float, wanted: list[tuple[float, float, int | None]]
) -> None:
    activity = Activity()
    activity.wait(2.0, 6.0, place=("all_reduce", "dp", 3, (0, 1)), last=1, last_s=last_s)
    assert [(each.start_s, each.end_s, each.last) for each in activity.waited] == wanted


def test_ranks_that_come_early_wait_for_the_last_one_and_all_for_the_bytes() -> None:
    def run(simulation: Simulation, rank: int) -> Activity:
        comm = simulation.join(rank, (0, 1, 2), "world")
        simulation.compute(rank, float(rank), "F")
        comm.all_reduce(torch.ones(3)).wait()
        return simulation.activities[rank]

    # 2 (N - 1) / N of 12 bytes: 16 s.
    found = run_ranks(run, 3, seed=0, link=Link(bandwidth_bytes_s=1.0))
    waits = [[(each.start_s, each.end_s, each.last) for each in rank.waited] for rank in found]
    assert waits == [[(0, 2, 2), (2, 18, None)], [(1, 2, 2), (2, 18, None)], [(2, 18, None)]]


def test_a_message_does_not_wait_for_what_its_sender_sends_later() -> None:
    """Rank 1 sends to rank 2 after ten seconds; what it sent to rank 0 before is there by then."""

    def run(simulation: Simulation, rank: int) -> float:
        comm = simulation.join(rank, (0, 1, 2), "world")
        one = torch.ones(1)
        if rank == 1:
            works = [comm.send(one, 0)]
            simulation.compute(rank, 10.0, "F")
            works.append(comm.send(one, 2))
            comm.recv(one.clone(), 2).wait()
            for work in works:
                work.wait()
        elif rank == 2:
            comm.recv(one.clone(), 1).wait()
            comm.send(one, 1).wait()
        else:
            # It runs when both others wait, so that the later message has come to its end.
            simulation.turns.wait_until(0, lambda: simulation.clock_s[2] > 0, "waits")
            comm.recv(one.clone(), 1).wait()
        return simulation.clock_s[rank]

    ends = run_ranks(run, 3, seed=0, link=Link(bandwidth_bytes_s=4.0))
    assert ends[0] == 1
    assert ends[2] == 12
