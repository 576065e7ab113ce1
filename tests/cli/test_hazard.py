"""The terminal shows the threads of a finding, their lines, the element and the barrier."""

from typing import Any

import pytest

from tests.reports import make_report
from torchstone.cli.hazard import draw_hazard
from torchstone.cli.screen import Screen
from torchstone.core.i18n import LANGS, Lang
from torchstone.judge.hazard import Hazard, HazardParty, MissingBarrier
from torchstone.judge.messages import NativeReport, Words

pytestmark = pytest.mark.pure


def party(line: int | None, lane: int, *, is_write: bool = False) -> HazardParty:
    return HazardParty(
        line=line, text="", block=(1, 0, 0), thread=(lane, 2, 0), warp=5, lane=lane,
        is_write=is_write,
    )  # fmt: skip


def hazard(**changes: Any) -> Hazard:
    known: dict[str, Any] = {
        "figure": "race", "finding": 0, "kind": "RAW", "space": "shared", "kernel": "k",
        "array": "a", "index": (3, 1), "shape": (16, 16), "offset": 196,
        "allocation_bytes": 1024, "access_bytes": 4, "count": 7, "hint": Words(en="h", zh="h"),
        "size": (32, 8, 1), "at": party(20, 7), "other": party(16, 9, is_write=True),
        "barrier": 18, "missing": MissingBarrier(line=22, call="__syncthreads();"),
        "arrived": (), "left": None,
    }  # fmt: skip
    return Hazard(**known | changes)


def drawn(found: Hazard, verdict: str = "RACE", lang: Lang = "en") -> list[str]:
    native = NativeReport(
        stars=(), found=(), drawn=None, counters=(), profile=None, nvcc=None, hazards=(found,)
    )
    report = make_report("44", verdict, native=native)
    screen = Screen(lang=lang)
    return [line.plain.strip() for line in draw_hazard(screen, report) if line.plain.strip()]


def test_a_race_has_two_threads_and_the_barrier_before_and_the_missing_one() -> None:
    assert drawn(hazard()) == [
        "R  line 20: a[3][1], warp 5, thread (7, 2, 0) of block (1, 0, 0)",
        "W  line 16: a[3][1], warp 5, thread (9, 2, 0) of block (1, 0, 0)",
        "Both threads passed the barrier in line 18.",
        "Missing: __syncthreads(); before line 22.",
    ]


def test_an_access_outside_has_the_extent_and_one_of_unknown_place_its_bytes() -> None:
    wild = hazard(figure="bounds", other=None, missing=None, index=(17, 0), barrier=None)
    assert drawn(wild, "OOB")[1:] == ["The array has 16 x 16 elements."]
    (line,) = drawn(
        hazard(figure="unwritten", other=None, missing=None, array="", index=(), shape=(),
               at=party(None, 0)), "UNINIT",
    )  # fmt: skip
    assert line.startswith("R  line ?: memory + 196 bytes, ")


def test_a_barrier_has_the_lanes_that_wait_and_the_other_line() -> None:
    alone = hazard(figure="barrier", other=None, arrived=(0b10111, 0, 1 << 31), left=15)
    assert drawn(alone) == [
        "5 of 256 threads wait at the barrier in line 20:",
        "warp 0: lanes 0-2, 4",
        "warp 2: lanes 31",
        "The other threads leave the kernel in line 15.",
    ]
    assert "line 16" in drawn(hazard(figure="barrier", arrived=(1,)))[-1]


def test_lanes_that_do_not_meet_have_their_lines() -> None:
    assert drawn(hazard(figure="barrier")) == [
        "line 20: warp 5, thread (7, 2, 0) of block (1, 0, 0)",
        "line 16: warp 5, thread (9, 2, 0) of block (1, 0, 0)",
    ]


@pytest.mark.parametrize("lang", LANGS)
def test_both_languages_say_all(lang: Lang) -> None:
    text = " ".join(drawn(hazard(), lang=lang))
    for word in ("a[3][1]", "20", "16", "18", "22", "__syncthreads();", "R ", "W "):
        assert word in text


def test_without_a_finding_nothing_is_drawn() -> None:
    assert list(draw_hazard(Screen(lang="en"), make_report("44", "AC"))) == []
