"""A benchmark that is limited to AVX2 finds all its libraries limited."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.torch, pytest.mark.full]

ROOT = Path(__file__).resolve().parents[2]
CPU = Path("/proc/cpuinfo").read_text()
ASK = (
    "import sys; sys.path.insert(0, '.'); from benchmarks import isa; isa.limit(sys.argv[1]); "
    "from benchmarks.microtorch import in_process; print(isa.told(in_process('isa', 1)))"
)


def told(name: str, **environment: str) -> str:
    """Return the line of a benchmark whose parts are processes of their own."""
    command = [sys.executable, "-c", ASK, name]
    given = os.environ | environment
    return subprocess.run(
        command, cwd=ROOT, env=given, capture_output=True, text=True, check=True
    ).stdout  # fmt: skip


@pytest.mark.skipif("avx2" not in CPU, reason="a processor with AVX2 is needed")
def test_every_library_is_limited_to_avx2() -> None:
    line = told("avx2")
    assert line.startswith("isa=avx2: torch AVX2, openblas Haswell, ")
    assert "512" not in line
    assert "X86_V4" not in line
    assert "AMX" not in line


def test_without_a_limit_a_library_chooses_by_itself() -> None:
    line = told("native", OPENBLAS_CORETYPE="Nehalem")
    assert line.startswith("isa=native: ")
    assert "Nehalem" not in line
    if "avx512_bf16" in CPU:
        assert "torch AVX512" in line


@pytest.mark.skipif("avx2" not in CPU, reason="a processor with AVX2 is needed")
def test_the_kernels_choose_the_same() -> None:
    # Without numbers of threads nothing is measured.
    command = [sys.executable, "benchmarks/kernels.py", "--isa", "avx2", "--threads"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "instruction_set=avx2" in done.stderr
