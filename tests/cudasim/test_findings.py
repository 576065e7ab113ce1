"""What the runtime tells becomes findings, each at the line of the program that led there."""

import dataclasses
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import torchstone.cudasim as cudasim
from torchstone.cudasim.findings import Fact, Finding, Party, Place, merge_findings, read_findings
from torchstone.cudasim.toolchain import find_toolchain

pytestmark = pytest.mark.cudasim


DETAIL = [{"say": "a", "with": {"bytes": 3, "op": "x"}}, {"say": "b", "with": {}}]
FACTS = (Fact(say="a", values=(("bytes", 3), ("op", "x"))), Fact(say="b"))


def raw(**changes: Any) -> dict[str, Any]:
    return {
        "kind": "leak", "space": "global", "detail": DETAIL, "variable": "v", "kernel": "k",
        "at": None, "other": None, "address": 64, "offset": -4, "allocation_bytes": 16,
        "access_bytes": 8, "count": 2, **changes,
    }  # fmt: skip


def read(*each: dict[str, Any]) -> tuple[Finding, ...]:
    return read_findings(json.dumps(each))


def test_a_finding_has_what_the_runtime_said() -> None:
    at = {"place": None, "block": [1, 2, 3], "thread": [4, 5, 6], "write": True}
    (finding,) = read(raw(at=at))
    assert finding == Finding(
        kind="leak", space="global", detail=FACTS, variable="v", kernel="k", offset=-4,
        allocation_bytes=16, access_bytes=8, count=2,
        at=Party(place=None, block=(1, 2, 3), thread=(4, 5, 6), is_write=True),
    )  # fmt: skip
    with pytest.raises(dataclasses.FrozenInstanceError):
        finding.count = 3  # type: ignore[misc]
    assert read() == ()


def test_the_like_in_one_place_is_one_finding_and_the_rest_is_not() -> None:
    place = Place(file="a.cu", line=3, function="k")
    party = Party(place=place, block=(0, 0, 0), thread=(1, 0, 0), is_write=False)
    one = Finding(kind="RAW", at=party)
    assert one.at is not None
    again = dataclasses.replace(
        one, at=dataclasses.replace(one.at, thread=(2, 0, 0)), detail=FACTS, count=4
    )
    other = dataclasses.replace(
        one, at=dataclasses.replace(one.at, place=Place(file="a.cu", line=4, function="k"))
    )
    assert merge_findings([one, again, other]) == (dataclasses.replace(one, count=5), other)
    # What has no place is told apart by its facts.
    facts = [Finding(kind="launch", detail=each) for each in (FACTS, FACTS[:1], FACTS)]
    assert [each.count for each in merge_findings(facts)] == [2, 1]


INLINED = """#include "deep.h"
__device__ inline void write(int* p, int i) {
    p[i] = 1;
}
__device__ __noinline__ void outer(int* p) {
    if (threadIdx.x == 5)
        write(p, 1 << 20);
}
namespace {
template <class T> __global__ void wild(T* p) { outer(p); }
}
extern "C" void go(int* p) { wild<int><<<2, 8>>>(p); }
extern "C" void deep(int* p) { from_header<<<1, 1>>>(p); }
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "deep.h").write_text(
        "\n\n__global__ void from_header(int* p) {\n    atomicAdd(p + (1 << 20), 1);\n}\n"
    )
    (tmp_path / "inlined.cu").write_text(INLINED)
    return tmp_path / "inlined.cu"


def failure(module: cudasim.Module, function: str) -> Finding:
    with pytest.raises(cudasim.KernelError) as caught:
        module.function(function)(cudasim.empty(4, "<i4"))
    return caught.value.findings[0]


def test_of_inlined_functions_the_innermost_of_the_program_counts(program: Path) -> None:
    finding = failure(cudasim.compile(program), "go")
    assert finding.place == Place(file="inlined.cu", line=3, function="write")
    assert finding.at is not None
    assert (finding.at.thread, finding.at.is_write) == ((5, 0, 0), True)


def test_what_happens_in_our_headers_is_told_of_the_line_that_calls_them(program: Path) -> None:
    place = failure(cudasim.compile(program), "deep").place
    assert place == Place(file="deep.h", line=4, function="from_header")


def test_without_a_symboliser_the_finding_has_no_line(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_toolchain()
    # Another text, for places once looked up are remembered.
    program.write_text(INLINED + "// changed\n")
    module = cudasim.compile(program)
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    finding = failure(module, "go")
    assert (finding.kind, finding.place) == ("out-of-bounds", None)


def test_an_access_across_or_behind_the_end_of_a_device_variable_is_told() -> None:
    source = """__device__ __align__(8) int table[3];
    __global__ void across() { reinterpret_cast<long long*>(table)[1] = 1; }
    __global__ void behind() { reinterpret_cast<long long*>(table)[2] = 1; }
    __global__ void inside() { reinterpret_cast<long long*>(table)[0] = 1; }"""
    module = cudasim.compile(source, check=True)
    module.inside(1, 1)()
    said = {}
    for name in ("across", "behind"):
        with pytest.raises(cudasim.KernelError) as caught:
            module[name](1, 1)()
        (finding,) = caught.value.findings
        said[name] = finding.detail
    assert said == {
        "across": (Fact(say="over-variable-end"),),
        "behind": (Fact(say="behind-variable", values=(("variable", "table"),)),),
    }


def test_findings_of_an_absent_file_have_no_line() -> None:
    at = {"place": ["/absent", 5], "block": [0, 0, 0], "thread": [0, 0, 0], "write": False}
    (finding,) = read(raw(at=at))
    assert finding.place is None


def test_both_parties_of_a_race_have_lines() -> None:
    source = """__global__ void pass(int* out) {
    __shared__ int tile[32];
    tile[threadIdx.x] = 1;
    out[threadIdx.x] =
        tile[31 - threadIdx.x];
}"""
    module = cudasim.compile(source, check=True)
    module["pass"](1, 32)(np.zeros(32, np.int32))
    races = [each for each in module.findings() if each.kind == "RAW"]
    assert races
    for race in races:
        assert race.at is not None
        assert race.other is not None
        assert race.at.place == Place(file="kernel.cu", line=5, function="pass")
        assert race.other.place == Place(file="kernel.cu", line=3, function="pass")
        assert race.at.thread != race.other.thread
        assert (race.at.is_write, race.other.is_write) == (False, True)
