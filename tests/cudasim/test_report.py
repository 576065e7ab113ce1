"""Each kind of finding has a report that names the place, the cause and what to do."""

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest

from torchstone.cudasim.findings import KINDS, RACES, Fact, Finding, Party, Place
from torchstone.cudasim.report import as_json, describe, hint, render_findings
from torchstone.cudasim.words import LANGS, Lang

pytestmark = pytest.mark.pure

REPORTS = Path(__file__).parent / "reports"
ENGLISH = re.compile(r"\b[A-Za-z]{2,} [A-Za-z]{2,}\b")  # two words in a row
SOURCE = """__global__ void shift(const float* in, float* out, int n) {
    __shared__ float tile[64];
\ttile[threadIdx.x] = in[threadIdx.x];  // 载入
    out[threadIdx.x] = tile[threadIdx.x + 1];
}
"""


def party(line: int, thread: int, *, is_write: bool = False, block: int = 0) -> Party:
    place = Place(file="shift.cu", line=line, function="shift") if line else None
    return Party(place=place, block=(block, 0, 0), thread=(thread, 0, 0), is_write=is_write)


def fact(say: str, **values: int | str) -> Fact:
    return Fact(say=say, values=tuple(values.items()))


def finding(kind: str) -> Finding:
    """Make a finding as the runtime makes one of this kind."""
    race = {"space": "shared", "variable": "tile", "offset": 132, "allocation_bytes": 256,
            "access_bytes": 4, "kernel": "shift"}  # fmt: skip
    far = {"space": "global", "offset": 260, "allocation_bytes": 256, "access_bytes": 4,
           "kernel": "shift"}  # fmt: skip
    met = {"kernel": "shift", "at": party(4, 3), "other": party(3, 40)}
    made: dict[str, dict[str, Any]] = {
        "RAW": {**race, "at": party(4, 32), "other": party(3, 33, is_write=True), "count": 32},
        "WAR": {**race, "at": party(3, 33, is_write=True), "other": party(4, 32)},
        "WAW": {**far, "offset": 0, "at": party(4, 0, is_write=True),
                "other": party(4, 0, is_write=True, block=1)},
        "out-of-bounds": {**far, "at": party(4, 1, is_write=True)},
        "uninitialized": {**race, "at": party(4, 63)},
        "barrier-divergence": {**met, "other": None,
                               "detail": [fact("barrier-left", waiting=3, threads=64)]},
        "warp-divergence": {**met, "detail": [
            fact("warp-sites", lane=0, other_lane=3, op="__shfl_sync", other_op="__ballot_sync")]},
        "invalid-mask": {**met, "other": None, "detail": [
            fact("mask-without-caller", lane=3, op="operation of a group", mask="0x00000001")]},
        "misaligned": {**far, "offset": 4, "access_bytes": 16, "at": party(4, 1)},
        "use-after-free": {**far, "offset": 8, "at": party(4, 2)},
        "invalid-free": {"at": party(4, 0), "detail": [fact("freed-already")]},
        "leak": {"space": "global", "allocation_bytes": 256, "at": party(4, 0),
                 "detail": [fact("never-freed", bytes=256)]},
        "host-pointer": {"space": "host", "access_bytes": 4, "kernel": "shift", "at": party(4, 7)},
        "device-pointer": {"space": "global", "access_bytes": 4, "at": party(4, 0)},
        "deadlock": {**met, "detail": [
            fact("stuck", in_warp=1, at_barrier=1, ended=62),
            fact("stuck-lanes", op="__reduce_add_sync", mask="0xffffffff")]},
        "timeout": {**met, "other": None, "detail": [fact("time-is-up")]},
        "stack-overflow": {**met, "other": None, "space": "local",
                           "detail": [fact("stack-exceeded", bytes=65536)]},
        "assert": {**met, "other": None, "detail": [fact("assertion", expression="i < n")]},
        "trap": {**met, "other": None, "detail": [fact("trapped")]},
        "launch": {"kernel": "shift", "detail": [
            fact("block-too-large"),
            fact("launch-asked", grid="(1, 1, 1)", block="(2048, 1, 1)", bytes=0)]},
    }  # fmt: skip
    made[kind]["detail"] = tuple(made[kind].get("detail", ()))
    return Finding(kind=kind, **made[kind])


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_report_of_each_kind_is_as_it_was(kind: str, lang: Lang) -> None:
    text = render_findings([finding(kind)], {"shift.cu": SOURCE}, lang=lang)
    assert text + "\n" == (REPORTS / lang / f"{kind}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("kind", sorted(RACES))
def test_a_race_with_a_copy_is_told_by_the_wait_that_is_missing(kind: str, lang: Lang) -> None:
    plain = finding(kind)
    copied = dataclasses.replace(plain, detail=(fact("copy-not-awaited"),))
    assert {"en": "asynchronously", "zh": "异步拷贝"}[lang] in describe(copied, lang)
    assert "__pipeline_wait_prior(0)" in hint(copied, lang)
    assert describe(copied, lang) != describe(plain, lang)
    assert hint(copied, lang) != hint(plain, lang)


@pytest.mark.parametrize("lang", LANGS)
def test_there_is_one_report_for_each_kind(lang: Lang) -> None:
    assert {path.stem for path in (REPORTS / lang).iterdir()} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_chinese_report_has_no_english_sentence(kind: str) -> None:
    text = render_findings([finding(kind)], {}, lang="zh")
    assert ENGLISH.findall(text) == []
    assert all(re.search(r"[\u4e00-\u9fff]", each) for each in text.split("\n"))
    assert ENGLISH.search(render_findings([finding(kind)], {}))


@pytest.mark.parametrize("kind", KINDS)
def test_json_says_the_same_and_is_json(kind: str) -> None:
    made = finding(kind)
    told, chinese = (json.loads(json.dumps(as_json(made, lang))) for lang in LANGS)
    assert told["kind"] == kind
    assert told["message"] == describe(made) != ""
    assert told["hint"] == hint(made)
    assert (chinese.pop("message"), chinese.pop("hint")) == (describe(made, "zh"), hint(made, "zh"))
    assert chinese.items() <= told.items()
    assert [(each["say"], each["with"]) for each in told["detail"]] == [
        (each.say, dict(each.values)) for each in made.detail
    ]
    assert "{" not in told["hint"]
    if made.at is not None:
        assert told["at"]["thread"] == list(made.at.thread)
        assert (told["at"]["file"], told["at"]["function"]) == ("shift.cu", "shift")
    assert set(told) == {
        "kind", "message", "hint", "space", "kernel", "variable", "offset", "allocation_bytes",
        "access_bytes", "count", "at", "other", "detail", "barrier", "size", "arrived",
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
    nowhere = Finding(kind="trap", detail=(fact("trapped"),), at=party(0, 0))
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


def test_what_is_told_beside_a_race_follows_its_sentence() -> None:
    made = dataclasses.replace(finding("WAR"), detail=(fact("one-is-atomic"),))
    assert describe(made).endswith("with no barrier between; one of the two accesses is atomic, "
                                   "the other is not")  # fmt: skip


def test_what_the_runtime_names_itself_is_named_in_the_language() -> None:
    made = dataclasses.replace(finding("RAW"), variable="dynamic shared memory")
    assert "读取动态共享内存（偏移 132，共 256 字节）" in describe(made, "zh")
    assert "reads dynamic shared memory (byte 132 of 256)" in describe(made)


def test_what_is_known_of_nothing_is_its_kind() -> None:
    bare = Finding(kind="trap")
    assert (describe(bare), describe(bare, "zh")) == ("trap", "异常终止（trap）")
    assert describe(Finding(kind="WAW"), "zh") == "WAW 竞争"
    nowhere = Finding(kind="RAW", at=party(4, 1), other=party(4, 2, is_write=True))
    assert render_findings([nowhere], {}, lang="zh").startswith("shift.cu:4: RAW 竞争：")
    assert "读取某个地址，" in describe(nowhere, "zh")
