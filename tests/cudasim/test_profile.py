"""Counters, cost and what nvcc says are shown beside the lines, and as JSON."""

import dataclasses
import json
from dataclasses import replace

import pytest

from tests.cudasim.test_report import ENGLISH
from torchstone.cudasim.cost import MODEL_VERSION, estimate_cost
from torchstone.cudasim.counters import KernelCounters, LineCounters, Tally
from torchstone.cudasim.diagnostics import width_of
from torchstone.cudasim.findings import Place
from torchstone.cudasim.nvcc import Answer, Resources
from torchstone.cudasim.profile import MAX_WIDTH, profile_as_json, render_profile
from torchstone.cudasim.words import LANGS

pytestmark = pytest.mark.pure

SOURCE = """__global__ void turn(float* out, const float* in) {
    __shared__ float tile[32][32];
    tile[threadIdx.x][threadIdx.y] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();  // and a remark that goes on and on and on and on and on and on and on and on
    atomicAdd(out, tile[threadIdx.y][threadIdx.x]);
}
"""
LOAD = Tally(requests=64, lanes=2048, num_bytes=8192, sectors=512, ideal_sectors=256,
             fresh_sectors=512)  # fmt: skip
STORE = Tally(requests=64, lanes=2048, num_bytes=8192, wavefronts=2048, ideal_wavefronts=64)
ATOMIC = Tally(requests=64, lanes=2048, num_bytes=8192, sectors=64, contention=2048)
WAIT = Tally(requests=64, lanes=2048)


def at(line: int, file: str = "turn.cu") -> Place:
    return Place(file=file, line=line, function="turn")


COUNTERS = KernelCounters(
    kernel="turn",
    grid=(2, 1, 1),
    block=(32, 32, 1),
    static_bytes=4096,
    dynamic_bytes=0,
    launches=1,
    counted_blocks=2,
    barriers=2,
    store_epochs=2,
    operations={"global load": LOAD, "shared store": STORE, "global atomic": ATOMIC,
                "barrier": WAIT},
    flops=52224,
    lines=(
        LineCounters(place=at(3), operations={"global load": LOAD, "shared store": STORE}),
        LineCounters(place=at(4), operations={"barrier": WAIT}),
        LineCounters(place=at(5), operations={"global atomic": ATOMIC}, flops=52224),
        LineCounters(place=at(7, "lib/other.cuh"), operations={"barrier": Tally(requests=1)}),
        LineCounters(place=None, operations={"barrier": Tally(requests=1)}),
    ),
)  # fmt: skip
ANSWER = Answer(
    arch="sm_80",
    error="",
    kernels=(
        Resources(kernel="turn", registers=40, spill_store_bytes=8, spill_load_bytes=12,
                  stack_bytes=0, shared_bytes=4096),
    ),
)  # fmt: skip


def test_numbers_stand_beside_the_lines_of_the_source() -> None:
    text = render_profile([COUNTERS], ANSWER, {"turn.cu": SOURCE})
    lines = text.split("\n")
    assert lines[0] == "turn: 2 blocks of 32 x 32 threads"
    assert "1 barriers" in lines[1]
    # 52224 operations by 512 sectors of loads and 64 of atomics, each of 32 bytes.
    assert "52224 floating point operations, 2.83 per byte" in lines[2]
    assert "40 registers, 20 bytes spilled, occupancy 50% (limit: registers)" in lines[3]
    assert "(a rank, not a time): atomics " in lines[4]
    titles = lines[5].split()
    row = dict(zip(titles, lines[6].split(), strict=False))
    assert (row["requests"], row["lanes"], row["sectors"]) == ("128", "32", "8")
    assert (row["useful"], row["conflicts"]) == ("50%", "1984")
    assert "3: tile[threadIdx.x][threadIdx.y] = in[" in lines[6]
    assert lines[7].split()[:4] == ["64", "32", "4:", "__syncthreads();"]
    assert lines[8].split()[:5] == ["64", "32", "32", "52224", "5:"]
    assert "lib/other.cuh:7:" in lines[9]
    assert len(lines) == 10
    assert all(len(line) <= MAX_WIDTH for line in lines[6:])


def test_a_table_says_that_nothing_could_be_read_of_arithmetic() -> None:
    unread = replace(COUNTERS, flops=None)
    assert "arithmetic: not counted, because objdump" in render_profile([unread], None, {})
    (kernel,) = json.loads(json.dumps(profile_as_json([unread], None)))["counters"]
    assert (kernel["flops"], kernel["arithmetic_intensity"]) == (None, None)


def test_columns_stay_below_their_titles() -> None:
    lines = render_profile([COUNTERS], None, {"turn.cu": SOURCE}).split("\n")
    title = next(line for line in lines if "conflicts" in line)
    row = next(line for line in lines if "1984" in line)
    assert title.index("conflicts") + len("conflicts") == row.index("1984") + len("1984")


def test_in_chinese_the_numbers_are_the_same_and_stand_below_their_titles() -> None:
    sources = {"turn.cu": SOURCE}
    english, chinese = (
        render_profile([dataclasses.replace(COUNTERS, launches=3)], ANSWER, sources, lang=lang)
        for lang in LANGS
    )
    lines = chinese.split("\n")
    assert lines[0] == "turn：2 个线程块，每块 32 x 32 个线程，启动 3 次"
    assert "40 个寄存器，溢出 20 字节，占用率 50%（受限于：寄存器）" in lines[3]
    assert "52224 次浮点运算，全局内存每读写一字节 2.83 次" in lines[2]
    assert all(not ENGLISH.search(line) for line in lines[:6])
    titles = ["请求", "lane", "sector", "有效", "冲突", "原子", "浮点运算", "行"]
    assert lines[5].split() == titles
    assert width_of(lines[5].partition("冲突")[0] + "冲突") == lines[6].index("1984") + 4
    assert lines[6:] == english.split("\n")[6:]


def test_a_table_needs_no_nvcc() -> None:
    assert "registers" not in render_profile([COUNTERS], None, {"turn.cu": SOURCE})
    other = Answer(arch="sm_80", error="", kernels=())
    assert "registers" not in render_profile([COUNTERS], other, {"turn.cu": SOURCE})
    assert render_profile([], None, {}) == ""


def test_what_nvcc_refuses_is_shown_with_its_words() -> None:
    refused = Answer(arch="sm_80", error="turn.cu(2): error: no", kernels=())
    text = render_profile([COUNTERS], refused, {"turn.cu": SOURCE})
    assert text.endswith("nvcc refuses the program:\nturn.cu(2): error: no")


def test_another_cost_has_another_version() -> None:
    cost = round(estimate_cost(COUNTERS).cycles, 3)
    assert (MODEL_VERSION, cost) == (1, 18533.018), "raise MODEL_VERSION: costs are kept with it"


def test_json_holds_counts_ratios_cost_and_occupancy() -> None:
    answer = json.loads(json.dumps(profile_as_json([COUNTERS], ANSWER)))
    (kernel,) = answer["counters"]
    assert (kernel["kernel"], kernel["grid"], kernel["block"]) == ("turn", [2, 1, 1], [32, 32, 1])
    load = kernel["operations"]["global load"]
    assert (load["sectors"], load["sectors_per_request"], load["efficiency"]) == (512, 8, 0.5)
    assert kernel["operations"]["shared store"]["bank_conflicts"] == 1984
    assert kernel["operations"]["global atomic"]["contention_per_request"] == 32
    assert [line["line"] for line in kernel["lines"]] == [3, 4, 5, 7, None]
    assert [line["flops"] for line in kernel["lines"]] == [0, 0, 52224, 0, 0]
    assert kernel["arithmetic_intensity"] == 52224 / (576 * 32)
    assert answer["cost"][0]["cycles"] == estimate_cost(COUNTERS).cycles
    assert answer["nvcc"]["kernels"][0]["registers"] == 40
    (occupancy,) = answer["nvcc"]["occupancy"]
    assert (occupancy["kernel"], occupancy["blocks"], occupancy["fraction"]) == ("turn", 1, 0.5)


def test_json_says_that_there_is_no_nvcc() -> None:
    assert profile_as_json([], None) == {"counters": [], "cost": [], "nvcc": None}
