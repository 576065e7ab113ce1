"""A finding becomes a figure: threads with warps, lines of the submission, barrier and element."""

import dataclasses
import time

import msgspec
import pytest

from torchstone.cudasim.findings import Finding, Party, Place
from torchstone.judge.build.hazards import MOST_HAZARDS, MOST_WARPS, tables_of
from torchstone.judge.hazard import Hazard

pytestmark = pytest.mark.pure

SOURCE = """__global__ void k(float* out, int n) {
    // return; is no exit here
    __shared__ float a[64];
    if (threadIdx.x >= n) {
        return;
    }
    a[threadIdx.x] = 1.0f;
    out[threadIdx.x] = a[63 - threadIdx.x];
    __syncthreads();
}
"""


def party(line: int, thread: int, *, is_write: bool = False, file: str = "kernel.cu") -> Party:
    place = Place(file=file, line=line, function="k")
    return Party(place=place, block=(0, 0, 0), thread=(thread, 0, 0), is_write=is_write)


RACE = Finding(
    kind="RAW", space="shared", variable="a", kernel="k", at=party(8, 40), size=(64, 1, 1),
    other=party(7, 23, is_write=True), offset=92, allocation_bytes=256, access_bytes=4, count=3,
)  # fmt: skip
LEFT = Finding(kind="barrier-divergence", at=party(9, 0), size=(64, 1, 1), arrived=(7, 0))


def figures_of(*found: Finding, source: str = SOURCE) -> list[Hazard]:
    return [msgspec.convert(each, Hazard) for each in tables_of(found, source, "kernel.cu")]


def test_a_race_has_both_threads_their_lines_and_the_missing_barrier() -> None:
    (hazard,) = figures_of(RACE)
    assert hazard.other is not None
    assert (hazard.figure, hazard.array, hazard.index, hazard.shape) == ("race", "a", (23,), (64,))
    parties = (hazard.at, hazard.other)
    assert [(each.line, each.warp, each.lane, each.is_write) for each in parties] == [
        (8, 1, 8, False),
        (7, 0, 23, True),
    ]  # fmt: skip
    assert hazard.other.text == "a[threadIdx.x] = 1.0f;"
    assert hazard.missing is not None
    assert (hazard.missing.line, hazard.barrier) == (8, None)
    assert hazard.hint.en.startswith("put __syncthreads()")
    assert hazard.hint.zh


def test_a_barrier_that_not_all_reach_has_the_lanes_and_the_exit() -> None:
    (hazard,) = figures_of(LEFT)
    assert (hazard.figure, hazard.arrived, hazard.left) == ("barrier", (7, 0), 5)
    two = SOURCE.replace("a[threadIdx.x] = 1.0f;", "if (n == 3) return;")
    (unsure,) = figures_of(LEFT, source=two)
    assert unsure.left is None
    (met,) = figures_of(dataclasses.replace(LEFT, other=party(4, 1)))
    assert met.left is None


def test_the_figures_are_bounded_and_show_the_submission_only() -> None:
    many = figures_of(*[RACE] * 50)
    assert [each.finding for each in many] == list(range(MOST_HAZARDS))
    (wide,) = figures_of(dataclasses.replace(LEFT, arrived=(1,) * 1000))
    assert len(wide.arrived) == MOST_WARPS
    (foreign,) = figures_of(dataclasses.replace(RACE, at=party(8, 0, file="launcher.cu")))
    assert (foreign.at.line, foreign.at.text) == (None, "")
    (beyond,) = figures_of(dataclasses.replace(RACE, at=party(4000, 0)))
    assert beyond.at.text == ""
    assert (
        figures_of(Finding(kind="leak", at=party(8, 0)), dataclasses.replace(RACE, at=None)) == []
    )


def test_the_order_is_that_of_the_findings() -> None:
    leak = Finding(kind="leak", at=party(8, 0))
    wild = dataclasses.replace(RACE, kind="out-of-bounds", other=None, offset=256)
    unset = dataclasses.replace(RACE, kind="uninitialized", other=None)
    figures = figures_of(leak, wild, unset)
    assert [(each.figure, each.finding) for each in figures] == [("bounds", 1), ("unwritten", 2)]
    assert figures[0].index == (64,)


def test_comments_are_left_out_in_linear_time() -> None:
    from torchstone.judge.build.hazards import _without_comments

    assert _without_comments("a /* b\nc */ d // e\nf") == "a     \n     d     \nf"
    begun = time.process_time()
    assert _without_comments("/* " * 100_000).isspace()
    assert _without_comments("//\n" * 100_000).isspace()
    assert time.process_time() - begun < 5
