"""The other processor for which fibers are switched in assembler, emulated where there is none."""

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cudasim.programs import (
    ASCENDING,
    DESCENDING,
    HERE,
    RANDOM,
    Run,
    lines_of,
    misplaced,
    read_header,
    run_program,
)
from torchstone.cudasim.toolchain import Build

pytestmark = [pytest.mark.cudasim, pytest.mark.full]

COMPILER, EMULATOR = "aarch64-linux-gnu-g++", "qemu-aarch64"
TUNED = HERE / "corpus" / "tuned"


@pytest.fixture
def under(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Compile for aarch64, and give the command that runs what comes of it."""
    if platform.machine() == "aarch64":
        return ()
    for name in (COMPILER, EMULATOR):
        if shutil.which(name) is None:
            pytest.skip(f"no {name} here; `tools/preflight.sh --tests` says what brings it")
    monkeypatch.setenv("CXX", f"{COMPILER} -march=armv8-a")
    asked = [COMPILER, "-print-file-name=libc.so.6"]
    libc = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    # The emulator looks for the loader and the libraries of the system below this folder.
    return (EMULATOR, "-L", str(Path(libc).resolve().parent.parent))


@pytest.mark.parametrize(
    ("build", "order"),
    [
        (Build.FAST, ASCENDING),
        (Build.FAST, DESCENDING),
        (Build.FAST, RANDOM),
        (Build.CHECK, ASCENDING),
        (Build.CHECK, RANDOM),
    ],
)
def test_a_switch_keeps_all_that_a_thread_has(
    under: tuple[str, ...], build: Build, order: int
) -> None:
    run = run_program(HERE / "switches.cu", build, order=order, under=under)
    assert (run.exit_code, run.output, run.findings) == (0, "", ())


@pytest.mark.parametrize("build", Build)
def test_numbers_of_sixteen_bits_are_the_same_there(under: tuple[str, ...], build: Build) -> None:
    run = run_program(HERE / "features" / "half_arithmetic.cu", build, order=ASCENDING, under=under)
    assert (run.exit_code, run.output, run.findings) == (0, "", ())


@pytest.mark.parametrize(
    "name",
    ["transpose_without_barrier", "guard_off_by_one", "float4_from_odd_start", "grid_sync_jacobi"],
)
def test_the_detectors_find_there_what_they_find_elsewhere(
    under: tuple[str, ...], name: str
) -> None:
    path = TUNED / f"{name}.cu"
    header = read_header(path)
    run = run_program(path, Build.CHECK, order=ASCENDING, under=under)
    assert misplaced(header, run.findings) == []
    assert bool(found_in(run) & header.kinds("expect")) == (name != "grid_sync_jacobi")


def found_in(run: Run) -> set[str]:
    return {each.kind for each in run.findings}


WILD = """
#include <cstdlib>
__global__ void touch(int* x, float4* y, int how) {
    if (how == 0) x[1 << 28] = 1;
    if (how == 1) x[0] = x[1 << 28];
    if (how == 2) y[1 << 26] = y[0];
    if (how == 3) y[0] = y[1 << 26];
    if (how == 4) atomicAdd(x + (1 << 28), 1);
    if (how == 5) __trap();
}
int main() {
    int* x;
    cudaMalloc(&x, 64);
    cudaMemset(x, 0, 64);
    touch<<<1, 1>>>(x, reinterpret_cast<float4*>(x), std::atoi(std::getenv("HOW")));
    return cudaDeviceSynchronize() == cudaSuccess;
}
"""


@pytest.mark.parametrize("how", range(6))
def test_a_fault_of_the_processor_is_told_with_its_line(
    under: tuple[str, ...], tmp_path: Path, how: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "wild.cu"
    path.write_text(WILD)
    monkeypatch.setenv("HOW", str(how))
    run = run_program(path, Build.FAST, order=ASCENDING, under=under)
    assert run.exit_code == 0
    (finding,) = run.findings
    assert finding.kind == ("trap" if how == 5 else "out-of-bounds")
    assert lines_of(finding) == [4 + how]
    if how < 5:
        assert finding.at is not None
        assert finding.at.is_write == (how in (0, 2, 4))


def test_a_stack_that_overflows_is_told(under: tuple[str, ...]) -> None:
    path = TUNED / "recursion_without_end.cu"
    run = run_program(path, Build.FAST, order=ASCENDING, under=under)
    assert found_in(run) == {"stack-overflow"}
