"""P003: tensors are copied back to the host."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules.download import find

pytestmark = pytest.mark.pure

MIB = 1 << 20


def run(took: float, size: int, *, beside: bool = False, steps: int = 4) -> Made:
    made = Made().computes(wait=0 if beside else took)
    for begin in made.each_step()[:steps]:
        at = begin - 5 if begin else 0
        made.copy("DtoH (Device -> Pageable)", at, begin, begin + took, size=size)
    return made


def test_exposed_copies_are_told() -> None:
    found = find(run(2000, 8_000_000).case())
    assert found is not None
    assert found.share == found.recoverable == pytest.approx(0.2)
    assert found.margin == pytest.approx(4.0)
    assert found.evidence == pytest.approx({"copy_ms": 2.0, "mb": 8.0, "large": 1.0})


@pytest.mark.parametrize(("took", "is_found"), [(499, False), (501, True)])
def test_the_border_of_the_share(took: float, is_found: bool) -> None:
    assert (find(run(took, 1000).case()) is not None) == is_found


@pytest.mark.parametrize(("size", "is_found"), [(MIB - 1, False), (MIB, True)])
def test_a_large_copy_in_each_step_is_told_though_nothing_waits(size: int, is_found: bool) -> None:
    found = find(run(100, size, beside=True).case())
    assert (found is not None) == is_found
    if found is not None:
        assert found.recoverable == pytest.approx(0.0)
        assert found.share == pytest.approx(0.01)
        assert found.margin == 1.0


def test_a_large_copy_now_and_then_saves_something() -> None:
    assert find(run(100, 64 * MIB, beside=True, steps=3).case()) is None


def test_a_loss_that_is_read_is_small() -> None:
    assert find(run(2, 4).case()) is None
