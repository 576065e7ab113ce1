"""Steps are found in programs that do not mark them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.optim import SGD  # noqa: E402
from torch.utils.data import DataLoader  # noqa: E402

from torchstone.doctor.capture.steps import (  # noqa: E402
    FORWARD,
    LOADER,
    OPTIMIZER,
    Leader,
    Steps,
)

pytestmark = pytest.mark.torch


class Found:
    """Steps of a test, which ends with their hooks removed."""

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.steps = Steps(self.kinds.append)

    def count(self, kind: str) -> int:
        return self.kinds.count(kind)


@pytest.fixture
def found() -> Iterator[Found]:
    made = Found()
    made.steps.install()
    yield made
    for kind in (OPTIMIZER, FORWARD, LOADER):
        made.steps.drop(kind)


def learner() -> tuple[nn.Module, SGD]:
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
    return model, SGD(model.parameters(), lr=0.01)


def test_an_optimizer_ends_each_step_of_accumulated_batches(found: Found) -> None:
    model, optimizer = learner()
    for _ in range(3):
        for _ in range(4):
            model(torch.randn(2, 4)).sum().backward()
        optimizer.step()
    assert found.count(OPTIMIZER) == 3
    assert found.count(FORWARD) == 12


def test_of_several_optimizers_the_first_one_counts(found: Found) -> None:
    pairs = [learner(), learner()]
    for _ in range(5):
        for model, optimizer in pairs:
            model(torch.randn(2, 4)).sum().backward()
            optimizer.step()
    assert found.count(OPTIMIZER) == 5


def test_a_loader_has_steps_over_epochs_and_a_module_only_its_outermost_calls(found: Found) -> None:
    loader = DataLoader([torch.zeros(4)] * 6, batch_size=2)
    model, _ = learner()
    for _ in range(2):
        for batch in loader:
            model(batch)
    # The end of an epoch asks once more.
    assert found.count(LOADER) == 8
    assert found.count(FORWARD) == 6


def test_a_module_that_fails_leaves_the_next_one_outermost(found: Found) -> None:
    model, _ = learner()
    for _ in range(3):
        with pytest.raises(RuntimeError):
            model(torch.randn(2, 5))
    assert found.count(FORWARD) == 3


def test_a_kind_that_is_dropped_is_hooked_no_longer(found: Found) -> None:
    model, _ = learner()
    found.steps.drop(FORWARD)
    found.steps.drop(LOADER)
    for batch in DataLoader([torch.zeros(4)] * 3):
        model(batch)
    assert found.kinds == []


def test_another_leader_takes_over_where_the_first_one_comes_no_more() -> None:
    class Source:
        pass

    leader, first, second = Leader(), Source(), Source()
    assert leader.is_step(first)
    assert [leader.is_step(second) for _ in range(5)] == [False, False, False, True, True]
    assert not leader.is_step(first)


def test_a_leader_that_is_gone_is_replaced_at_once() -> None:
    class Source:
        pass

    leader = Leader()
    assert all(leader.is_step(Source()) for _ in range(3))
