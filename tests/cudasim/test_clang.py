"""What clang++ builds runs as what g++ builds, and the same is found in it at the same lines."""

import shutil
from pathlib import Path

import numpy as np
import pytest

import torchstone.cudasim as cudasim
from tests.cudasim.programs import (
    ASCENDING,
    HERE,
    RANDOM,
    lines_of,
    misplaced,
    read_header,
    run_program,
)
from tests.cudasim.test_counters import ACCESSES, line_of
from torchstone.cudasim.toolchain import Build, find_toolchain

pytestmark = [pytest.mark.cudasim, pytest.mark.full]

NAMES = ("clang++", *(f"clang++-{version}" for version in range(21, 13, -1)))


@pytest.fixture(autouse=True)
def clang(monkeypatch: pytest.MonkeyPatch) -> str:
    name = next((name for name in NAMES if shutil.which(name)), None)
    if name is None:
        pytest.skip("no clang++ here; `tools/preflight.sh --tests` says what brings it")
    monkeypatch.setenv("CXX", name)
    assert find_toolchain().clang
    return name


def test_gcc_stays_the_compiler_where_both_are(
    clang: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "clang++").symlink_to(shutil.which(clang) or "")
    (tmp_path / "g++").symlink_to(shutil.which("g++") or "")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX")
    assert find_toolchain().command == (str(tmp_path / "g++"),)


@pytest.mark.parametrize(
    "name",
    [
        "transpose_without_barrier",
        "barrier_in_grid_stride_loop",
        "guard_off_by_one",
        "padding_never_written",
        "float4_from_odd_start",
        "loop_that_never_converges",
        "softmax_block",
        "unions_and_bitfields",
        "aggregated_filter",
    ],
)
def test_a_program_of_the_corpus_is_judged_alike(name: str) -> None:
    path = HERE / "corpus" / "tuned" / f"{name}.cu"
    header = read_header(path)
    expected = header.kinds("expect") - {"nothing"}
    seen = set()
    for order in (ASCENDING, RANDOM):
        run = run_program(path, Build.CHECK, order=order)
        assert misplaced(header, run.findings) == []
        seen |= {each.kind for each in run.findings}
    assert bool(seen & expected) == bool(expected)


@pytest.mark.parametrize("name", ["half_arithmetic", "warp_shuffle_forms", "wmma_half"])
def test_a_feature_works_in_both_builds(name: str) -> None:
    for build in Build:
        run = run_program(HERE / "features" / f"{name}.cu", build, order=ASCENDING)
        assert (run.exit_code, run.output, run.findings) == (0, "", ())


def test_the_host_is_told_of_an_atomic_operation_on_memory_of_the_device() -> None:
    path = HERE / "features" / "language_host_library.bad.cu"
    (finding,) = run_program(path, Build.CHECK, order=ASCENDING).findings
    assert finding.kind == "device-pointer"
    lines = path.read_text().splitlines()
    assert ["fetch_add" in lines[line - 1] for line in lines_of(finding)] == [True]


def test_each_access_counts_once_with_all_its_bytes() -> None:
    module = cudasim.compile(ACCESSES, check=True)
    module.touch(1, 32)(np.zeros(2048, np.float32), np.zeros(256, np.float32), 1)
    (counters,) = module.counters()
    for words, sectors in {"float4": 16, "doubles": 8, "coalesced load": 4, "bytes": 1}.items():
        memory = counters.line(line_of(ACCESSES, words)).global_memory
        assert (memory.requests, memory.sectors) == (1, sectors)
    shared = counters.line(line_of(ACCESSES, "shared float4")).shared_memory
    assert (shared.requests, shared.wavefronts) == (1, 4)


LINES = """struct Pair { float4 a, b; };
__device__ const uint3& itself() { return threadIdx; }
__global__ void touch(Pair* x, float* y, const float* z, int n, int what) {
    unsigned i = itself().x + 0 * blockDim.x;
    if (what == 0) x[i + 1000] = x[i];
    float sum = 0;
    for (int k = 0; k < n; k++) {
        sum += y[k % 4] *
               (what == 1 ? z[1000] : z[0]);
    }
    float other = n == 4
        ? y[i % 4 + (what == 2 ? 1000 : 0)]
        : z[i % 4];
    if (n == 4)
        y[i + (what == 3 ? 1000 : 8)] = sum;
    else
        y[i + 8] = sum + 1;
    y[i + 16] = other;
}
"""


@pytest.mark.parametrize(("what", "line"), [(0, 5), (1, 9), (2, 12), (3, 15)])
def test_an_access_keeps_its_line_whatever_the_optimiser_would_make_of_it(
    what: int, line: int
) -> None:
    module = cudasim.compile(LINES, check=True)
    with pytest.raises(cudasim.KernelError) as caught:
        module.touch(1, 2)(*(np.zeros(64, np.float32) for _ in range(3)), 4, what)
    finding = caught.value.findings[0]
    assert finding.kind == "out-of-bounds"
    assert finding.place is not None
    assert finding.place.line == line


def test_a_launch_that_does_not_fit_is_told_as_a_call() -> None:
    with pytest.raises(cudasim.CompileError, match=r"no matching function for call to 'k'"):
        cudasim.compile("__global__ void k(int) {}\nvoid f() { k<<<1, 1>>>(); }")
