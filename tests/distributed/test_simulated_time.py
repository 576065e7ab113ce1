"""``spend``: computing takes the time of its operations, and changes no bit."""

from __future__ import annotations

import pytest
import torch

from torchstone.distributed import Link, World, run_threads
from torchstone.distributed.comm.activity import Computed
from torchstone.distributed.comm.threads import current
from torchstone.distributed.simulated_time import Speed, computing, spend

pytestmark = [pytest.mark.torch]

LINK = Link(bandwidth_bytes_s=1.0)


def spans(speed: Speed | None, num_ranks: int = 1) -> list[list[Computed]]:
    def run(world: World) -> list[Computed]:
        x = torch.tensor([1.5, -2.0], requires_grad=True)
        with computing(speed):
            y = spend(3 * x, forward=10, backward=20)
        assert torch.equal(y, 3 * x)
        y.sum().backward()
        assert torch.equal(x.grad, torch.tensor([3.0, 3.0]))
        place = current()
        assert place is not None
        return place[0].activities[world.rank].computed

    return run_threads(run, num_ranks, link=LINK)


def test_the_backward_pass_takes_twice_the_time_of_its_operations() -> None:
    ((forward, backward),) = spans(Speed(flops_s=5.0))
    assert (forward.label, forward.start_s, forward.end_s) == ("F", 0, 2)
    assert (backward.label, backward.start_s, backward.end_s) == ("B", 2, 10)


def test_a_slow_rank_takes_longer() -> None:
    ends = [rank[-1].end_s for rank in spans(Speed(flops_s=5.0, slow=(1, 3.0)), 3)]
    assert ends == [10, 30, 10]


def test_without_a_speed_computing_takes_no_time() -> None:
    assert spans(None) == [[]]


def test_outside_of_a_simulation_it_returns_its_input() -> None:
    x = torch.ones(2)
    with computing(Speed(flops_s=1.0)):
        assert spend(x, forward=1, backward=1) is x
