"""The barrier that a race lacks stands where it is missing: with it there, the race is gone."""

import dataclasses

import numpy as np
import pytest

import torchstone.cudasim as cudasim
from torchstone.cudasim.findings import RACES, Finding, Party, Place
from torchstone.cudasim.missing import MissingBarrier, find_missing_barrier

pytestmark = pytest.mark.cudasim

HEAD = "__global__ void pass(int* out) {\n    __shared__ int tile[64];\n    int t = threadIdx.x;\n"
# Name -> the body; the mark is where the barrier belongs, and no part of the program.
PROGRAMS = {
    "after_the_load": """    tile[t] = t;
    // missing
    out[t] = tile[63 - t];
}""",
    "before_a_loop_without_braces": """    int sum = 0;
    for (int k = 0; k < 4; k++) {
        tile[t] = t + k;
        // missing
        for (int i = 0; i < 64; i++)
            sum += tile[i];
        __syncthreads();
    }
    out[t] = sum;
}""",
    "at_the_end_of_the_pass": """    int sum = 0;
    for (int k = 0; k < 4; k++) {
        tile[t] = t + k;
        __syncthreads();
        for (int i = 0; i < 64; i++) {
            sum += tile[i];
        }
    // missing
    }
    out[t] = sum;
}""",
    "in_a_tree": """    tile[t] = t;
    __syncthreads();
    for (int s = 32; s > 0; s /= 2) {
        if (t < s) {
            tile[t] += tile[t + s];
        }
    // missing
    }
    if (t == 0) out[0] = tile[0];
}""",
    "behind_a_block_of_if_and_else": """    if (t % 2) {
        tile[t] = 1;
    } else {
        tile[t] = 2;
    }
    // missing
    if (t > 0) {
        out[t] = tile[63 - t];
    } else {
        out[t] = tile[63];
    }
}""",
}


def races_in(source: str) -> list[Finding]:
    module = cudasim.compile(source, check=True)
    module["pass"](1, 64)(np.zeros(64, np.int32))
    return [each for each in module.findings() if each.kind in RACES]


@pytest.mark.parametrize("body", PROGRAMS.values(), ids=PROGRAMS)
def test_a_barrier_in_the_place_removes_the_race(body: str) -> None:
    marked = (HEAD + body).split("\n")
    place = next(at for at, line in enumerate(marked) if "// missing" in line)
    lines = [line for line in marked if "// missing" not in line]
    races = races_in("\n".join(lines))
    assert races
    found = {find_missing_barrier(each, "\n".join(lines)) for each in races}
    assert found == {MissingBarrier(line=place + 1, call="__syncthreads();")}
    lines.insert(place, "__syncthreads();")
    assert races_in("\n".join(lines)) == []


def test_the_last_barrier_is_that_of_the_block_and_blocks_have_none_between_them() -> None:
    source = """__global__ void pass(int* out) {
    __syncthreads();
    out[threadIdx.x] = blockIdx.x;
}"""
    module = cudasim.compile(source, check=True)
    module["pass"](2, 64)(np.zeros(64, np.int32))
    races = [each for each in module.findings() if each.kind in RACES]
    assert races
    assert [(each.barrier, find_missing_barrier(each, source)) for each in races] == [
        (None, None)
    ] * len(races)


def test_lanes_of_one_warp_below_an_if_need_a_barrier_of_the_warp() -> None:
    lines = (
        HEAD
        + """    tile[t] = t;
    __syncthreads();
    if (t < 32) {
        tile[t] = 2 * t;
        out[t] = tile[31 - t];
    }
}"""
    ).split("\n")
    races = races_in("\n".join(lines))
    missing = MissingBarrier(line=8, call="__syncwarp();")
    assert {find_missing_barrier(each, "\n".join(lines)) for each in races} == {missing}
    assert {each.barrier for each in races} == {Place(file="kernel.cu", line=5, function="pass")}
    lines.insert(missing.line - 1, missing.call)
    assert races_in("\n".join(lines)) == []


def test_the_lanes_that_wait_at_a_barrier_are_told() -> None:
    source = """__global__ void pass(int* out) {
    if (threadIdx.x >= 35)
        return;
    __syncthreads();
}"""
    module = cudasim.compile(source, check=True)
    module["pass"](1, 64)(np.zeros(64, np.int32))
    (finding,) = module.findings()
    assert finding.kind == "barrier-divergence"
    assert (finding.arrived, finding.size) == ((0xFFFFFFFF, 0b111), (64, 1, 1))


def race(low: int, high: int, **changes: object) -> Finding:
    parties = [
        Party(
            place=Place(file="kernel.cu", line=line, function="pass"),
            block=(0, 0, 0), thread=(thread, 0, 0), is_write=thread == 0,
        )
        for thread, line in enumerate((low, high))
    ]  # fmt: skip
    known = Finding(kind="RAW", at=parties[1], other=parties[0], size=(64, 1, 1))
    return dataclasses.replace(known, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "finding"),
    [
        ("{ a;\nb; }", race(7, 9)),
        ("a;\nb;", race(1, 2)),
        # One statement outside of a loop: no barrier can stand inside it.
        ("{\na;\n}", race(2, 2)),
        # Another statement begins the line.
        ("{\na; b;\nc; for (;;)\nd;\n}", race(2, 4)),
        ("{\na;\nb;\n}", race(2, 3, kind="out-of-bounds")),
        ("{\na;\nb;\n}", race(2, 3, at=None)),
        # Guarded on the way down, and no loop leads back.
        ("{\na;\n__syncthreads();\nb;\n}",
         race(2, 4, barrier=Place(file="kernel.cu", line=3, function="pass"))),
    ],
)  # fmt: skip
def test_where_no_place_is_known_none_is_told(source: str, finding: Finding) -> None:
    assert find_missing_barrier(finding, source) is None
