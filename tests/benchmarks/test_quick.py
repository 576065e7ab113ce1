"""Every program under benchmarks/ and tools/ has a quick form; each is run once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.machine import MISSING

pytestmark = [pytest.mark.torch, pytest.mark.sandbox, pytest.mark.full]

ROOT = Path(__file__).resolve().parents[2]
# Started by other programs, with arguments that only these know.
PARTS = {"benchmarks/distributed_ranks.py", "benchmarks/microtorch_frameworks.py"}
# The quick form of what writes a page or a figure into the tree: compare, and write nothing.
CHECKED = (
    "tools/bank_doc.py",
    "tools/cell_figures.py",
    "tools/commands_doc.py",
    "tools/cuda_doc.py",
    "tools/diffusion_figures.py",
    "tools/distributed_figures.py",
    "tools/kernel_figures.py",
    "tools/layernorm_figures.py",
    "tools/model_figures.py",
    "tools/openapi.py",
    "tools/pre_norm_figures.py",
    "tools/verdicts_doc.py",
)
# These take a second whatever they are given, and have tests of their own.
FAST = {
    "tools/lock.py",
    "tools/lock_check.py",
    "tools/pending.py",
    "tools/sizes.py",
}


def programs() -> list[str]:
    """Return every Python program of both folders."""
    return [
        path.relative_to(ROOT).as_posix()
        for folder in ("benchmarks", "tools")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if '__name__ == "__main__"' in path.read_text(encoding="utf-8")
    ]


QUICK = [program for program in programs() if program not in {*CHECKED, *FAST, *PARTS}]


def run(program: str, flag: str, folder: Path) -> subprocess.CompletedProcess[str]:
    out = ["out"] if program == "tools/screenshots.py" else []
    return subprocess.run(
        [sys.executable, str(ROOT / program), *out, flag],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        cwd=folder,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("program", QUICK)
def test_the_quick_form_runs(program: str, tmp_path: Path) -> None:
    done = run(program, "--quick", tmp_path)
    if done.returncode == MISSING:
        (line,) = done.stderr.splitlines()
        assert " is missing; " in line
        if "a CUDA device" not in line:
            pytest.skip(line)
        return
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("program", CHECKED)
def test_what_is_written_by_a_program_is_compared(program: str, tmp_path: Path) -> None:
    done = run(program, "--check", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("program", sorted(PARTS))
def test_a_program_without_its_arguments_says_what_they_are(program: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / program)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    assert done.stderr
