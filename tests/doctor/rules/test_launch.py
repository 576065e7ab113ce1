"""L001: the host launches more slowly than the device computes."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules.launch import empty_queue, find

pytestmark = pytest.mark.pure


def run(period: float, kernel_us: float, queued: int = 0) -> Made:
    """Kernels that begin when their call returns, each with some more behind it in the queue."""
    made = Made()
    for number in range(int(40_000 / period)):
        ready = number * period
        asked = ready - (period - (1 + queued) * kernel_us) / 2
        made.kernel("one", max(0.0, asked), ready, ready + kernel_us, returned=max(ready, 0.1))
        for behind in range(1, 1 + queued):
            at = ready + behind * kernel_us
            call = ready + behind * 0.4
            made.kernel("one", call, at, at + kernel_us, returned=call + 0.3)
    return made


def test_the_wait_for_launches_is_told() -> None:
    found = find(run(50, 5).case())
    assert found is not None
    assert found.share == found.recoverable == pytest.approx(0.9, abs=2e-3)
    assert found.margin == pytest.approx(4.5, rel=2e-3)
    assert found.evidence["kernels_per_step"] == 200
    assert found.evidence["kernel_us"] == pytest.approx(5.0)
    assert found.evidence["empty_queue"] == 1.0
    assert found.evidence["wait_ms"] == pytest.approx(9.0, rel=2e-3)


@pytest.mark.parametrize(("kernel_us", "is_found"), [(8.1, False), (7.9, True)])
def test_the_border_of_the_share(kernel_us: float, is_found: bool) -> None:
    assert (find(run(10, kernel_us).case()) is not None) == is_found


@pytest.mark.parametrize(("kernel_us", "is_found"), [(9.9, True), (10.1, False)])
def test_the_border_of_the_kernel_where_the_queue_is_full(kernel_us: float, is_found: bool) -> None:
    case = run(50, kernel_us, queued=2).case()
    assert empty_queue(case) == pytest.approx(1 / 3, abs=1e-3)
    assert (find(case) is not None) == is_found


@pytest.mark.parametrize(("queued", "is_found"), [(1, False), (0, True)])
def test_where_kernels_are_long_half_of_them_find_the_queue_empty(
    queued: int, is_found: bool
) -> None:
    case = run(100, 40 / (1 + queued), queued).case()
    # The first one of all is not counted.
    wanted = (399 / 799, 1.0)[is_found]
    assert empty_queue(case) == pytest.approx(wanted)
    assert (find(case) is not None) == is_found


def test_a_host_that_is_ahead_of_its_device_is_not_late() -> None:
    made = Made()
    for number in range(800):
        made.kernel("small", number * 10.0, 100 + number * 49.0, 108 + number * 49.0)
    assert find(made.case()) is None


def test_the_python_that_prepares_data_is_not_launching() -> None:
    made = Made().computes(wait=5000)
    for begin in made.each_step():
        made.frame("train.py(7): prepare", begin, begin + 4995)
    assert find(made.case()) is None


def test_launches_that_block_are_another_rule() -> None:
    made = Made()
    for number in range(400):
        at = number * 100.0
        made.kernel("small", at, at + 20, at + 28, returned=at + 30)
    assert find(made.case()) is None


def test_a_run_without_a_device_launches_nothing() -> None:
    assert find(Made().operator("aten::mm", 0, 30_000).case()) is None
