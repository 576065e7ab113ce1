"""A loader that starts its workers again, at the share of TS-D003."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules import loader, loader_restart

pytestmark = pytest.mark.pure


LOADER = "torch/utils/data/dataloader.py"


def made(times: list[int], start_us: float) -> Made:
    run = Made()
    for step in run.each_step():
        run.operator("aten::mm", step + 5000, step + 9000)
        run.frame(f"{LOADER}(720): __next__", step + 4000, step + 4001)
    for at in times:
        begin = at * 10_000.0
        run.frame(f"{LOADER}(492): __iter__", begin + 1, begin + start_us)
        run.frame("multiprocessing/process.py(110): start", begin + 2, begin + start_us - 1)
    return run


def test_starting_workers_again_is_found_and_is_not_the_loader_s() -> None:
    case = made([0, 1, 2, 3], 4000.0).case()
    found = loader_restart.find(case)
    assert found is not None
    assert (found.code, found.evidence["starts"], found.evidence["workers"]) == ("TS-D003", 4, 1)
    assert found.share == pytest.approx(0.4, abs=0.001)
    assert loader.find(case) is None


def test_the_first_start_is_that_of_the_first_epoch() -> None:
    assert loader_restart.find(made([0], 4000.0).case()) is None
    again = loader_restart.find(made([2], 4000.0).case())
    assert again is not None
    assert again.margin == 1.0


@pytest.mark.parametrize(("start_us", "is_found"), [(510.0, True), (480.0, False)])
def test_the_share_decides(start_us: float, is_found: bool) -> None:
    assert (loader_restart.find(made([0, 1, 2, 3], start_us).case()) is not None) == is_found
