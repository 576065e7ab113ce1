"""Each kind of finding has a report that names the place, the cause and what to do."""

import json
from pathlib import Path

import pytest

from torchstone.cudasim.findings import KINDS, Finding, Party, Place
from torchstone.cudasim.report import HINTS, as_json, describe, hint, render_findings

pytestmark = pytest.mark.pure

REPORTS = Path(__file__).parent / "reports"
SOURCE = """__global__ void shift(const float* in, float* out, int n) {
    __shared__ float tile[64];
\ttile[threadIdx.x] = in[threadIdx.x];  // 载入
    out[threadIdx.x] = tile[threadIdx.x + 1];
}
"""


def party(line: int, thread: int, *, is_write: bool = False, block: int = 0) -> Party:
    place = Place(file="shift.cu", line=line, function="shift") if line else None
    return Party(place=place, block=(block, 0, 0), thread=(thread, 0, 0), is_write=is_write)


def finding(kind: str) -> Finding:
    """Make a finding as the runtime makes one of this kind."""
    race = {"space": "shared", "variable": "tile", "offset": 132, "allocation_bytes": 256,
            "access_bytes": 4, "kernel": "shift"}  # fmt: skip
    far = {"space": "global", "offset": 260, "allocation_bytes": 256, "access_bytes": 4,
           "kernel": "shift"}  # fmt: skip
    met = {"kernel": "shift", "at": party(4, 3), "other": party(3, 40)}
    made: dict[str, dict[str, object]] = {
        "RAW": {**race, "at": party(4, 32), "other": party(3, 33, is_write=True), "count": 32},
        "WAR": {**race, "at": party(3, 33, is_write=True), "other": party(4, 32)},
        "WAW": {**far, "offset": 0, "at": party(4, 0, is_write=True),
                "other": party(4, 0, is_write=True, block=1)},
        "out-of-bounds": {**far, "at": party(4, 1, is_write=True)},
        "uninitialized": {**race, "at": party(4, 63)},
        "barrier-divergence": {**met, "other": None, "detail":
            "__syncthreads() is reached by 3 of 64 threads of the block; the others have returned"},
        "warp-divergence": {**met, "detail":
            "lanes 0 and 3 of one warp meet in different places, __shfl_sync and __ballot_sync"},
        "invalid-mask": {**met, "other": None, "detail":
            "lane 3 calls __shfl_sync with the mask 0x00000001, which does not name it"},
        "misaligned": {**far, "offset": 4, "access_bytes": 16, "at": party(4, 1)},
        "use-after-free": {**far, "offset": 8, "at": party(4, 2)},
        "invalid-free": {"at": party(4, 0), "detail": "this memory is freed already"},
        "leak": {"space": "global", "allocation_bytes": 256, "at": party(4, 0),
                 "detail": "256 bytes are never freed"},
        "host-pointer": {"space": "host", "access_bytes": 4, "kernel": "shift", "at": party(4, 7)},
        "device-pointer": {"space": "global", "access_bytes": 4, "at": party(4, 0)},
        "deadlock": {**met, "detail":
            "1 threads wait in an operation of their warp, 1 at a barrier, 62 have ended"},
        "timeout": {**met, "other": None, "detail": "the kernel has not ended in its time"},
        "stack-overflow": {**met, "other": None, "space": "local", "detail":
            "the thread needs more than 65536 bytes of local memory"},
        "assert": {**met, "other": None, "detail": "assertion `i < n` failed"},
        "trap": {**met, "other": None, "detail": "__trap()"},
        "launch": {"kernel": "shift", "detail": "a block has at most 1024 threads"},
    }  # fmt: skip
    return Finding(kind=kind, **made[kind])  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS)
def test_the_report_of_each_kind_is_as_it_was(kind: str) -> None:
    text = render_findings([finding(kind)], {"shift.cu": SOURCE})
    assert text + "\n" == (REPORTS / f"{kind}.txt").read_text(encoding="utf-8")


def test_there_is_one_report_and_one_hint_for_each_kind() -> None:
    assert set(HINTS) == set(KINDS)
    assert {path.stem for path in REPORTS.iterdir()} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_json_says_the_same_and_is_json(kind: str) -> None:
    made = finding(kind)
    told = json.loads(json.dumps(as_json(made)))
    assert told["kind"] == kind
    assert told["message"] == describe(made) != ""
    assert told["hint"] == hint(made)
    assert "{" not in told["hint"]
    if made.at is not None:
        assert told["at"]["thread"] == list(made.at.thread)
        assert (told["at"]["file"], told["at"]["function"]) == ("shift.cu", "shift")
    assert set(told) == {
        "kind", "message", "hint", "space", "kernel", "variable", "offset", "allocation_bytes",
        "access_bytes", "count", "at", "other",
    }  # fmt: skip


def test_color_is_there_only_where_it_is_wanted() -> None:
    made = [finding("RAW"), finding("leak")]
    colored = render_findings(made, {"shift.cu": SOURCE}, has_color=True)
    plain = render_findings(made, {"shift.cu": SOURCE})
    assert "\x1b[1;31m" in colored
    assert "\x1b" not in plain
    assert len(plain.split("\n\n")) == 2


def test_a_place_whose_source_is_not_known_is_still_named() -> None:
    text = render_findings([finding("RAW")], {})
    assert text.startswith("shift.cu:4: RAW race in shared memory: ")
    nowhere = Finding(kind="trap", detail="__trap()", at=party(0, 0))
    assert render_findings([nowhere], {"shift.cu": SOURCE}).startswith("trap: __trap()")


@pytest.mark.parametrize(
    ("offset", "words"),
    [(-8, "begins 8 bytes before"), (256, "just behind the end of"), (300, "44 bytes behind")],
)
def test_how_far_an_access_is_out_of_bounds_is_said(offset: int, words: str) -> None:
    made = Finding(kind="out-of-bounds", offset=offset, allocation_bytes=256, kernel="shift",
                   at=party(4, 1))  # fmt: skip
    assert words in describe(made)
    assert "256 bytes" in describe(made)
