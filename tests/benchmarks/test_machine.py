import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import isa, machine

ROOT = Path(__file__).resolve().parents[2]
ZEN2 = """\
processor\t: 0
model name\t: AMD EPYC 7B12
flags\t\t: fpu sse4_2 avx avx2 bmi2

processor\t: 1
model name\t: AMD EPYC 7B12
flags\t\t: fpu sse4_2 avx avx2 bmi2
"""
GRAVITON = "processor\t: 0\nFeatures\t: fp asimd sve bf16\n"


@pytest.mark.plain
def test_the_processor_and_its_instruction_sets_are_read() -> None:
    assert machine.cpu_model(ZEN2) == "AMD EPYC 7B12"
    assert machine.cpu_instruction_sets(ZEN2) == ["avx2", "avx", "sse4_2"]
    assert machine.cpu_instruction_sets(GRAVITON) == ["sve", "asimd"]
    assert machine.cpu_instruction_sets("") == []


@pytest.mark.torch
def test_what_the_libraries_compute_with_is_told() -> None:
    import torch

    about = machine.describe(threads=3)
    assert about["threads"] == 3
    assert about["torch_capability"] == torch.backends.cpu.get_cpu_capability()
    line = machine.summary(about)
    for part in (about["torch_capability"], about["openblas_core"], "3 threads", "load "):
        assert part in line
    assert about["openblas_core"]


@pytest.mark.plain
def test_one_function_asks_openblas_for_its_core(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import numpy

    class Library:
        def __init__(self, path: str) -> None:
            assert path == str(tmp_path / "numpy.libs/libopenblas64_.so")

        @staticmethod
        def openblas_get_corename() -> bytes:
            return b"Zen"

    monkeypatch.setattr(numpy, "__file__", str(tmp_path / "numpy/__init__.py"))
    assert machine.openblas_core() is None
    (tmp_path / "numpy.libs").mkdir()
    (tmp_path / "numpy.libs/libopenblas64_.so").touch()
    monkeypatch.setattr(machine.ctypes, "CDLL", Library)
    assert machine.openblas_core() == isa.openblas_core() == "Zen"


# One program for each part that a machine may lack; judge.py and cudasim.py ask alike.
@pytest.mark.full
@pytest.mark.plain
@pytest.mark.parametrize(
    ("program", "part"),
    [
        ("benchmarks/web.py", "Chromium"),
        ("tools/screenshots.py", "Chromium"),
        ("tools/page_pictures.py", "Chromium"),
        ("benchmarks/judge.py", "a C++ compiler"),
        ("benchmarks/kernels.py", "a C++ compiler"),
        ("benchmarks/cudasim.py", "a C++ compiler"),
        ("benchmarks/cudasim_fission.py", "a C++ compiler"),
        ("benchmarks/gpu/kernels.py", "a CUDA device"),
    ],
)
def test_a_missing_part_is_one_line_and_a_status_of_its_own(
    program: str, part: str, tmp_path: Path
) -> None:
    environ = {name: value for name, value in os.environ.items() if name != "CXX"}
    done = subprocess.run(
        [sys.executable, str(ROOT / program), "--quick"],
        env=environ | {"PATH": str(tmp_path), "CUDA_VISIBLE_DEVICES": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == machine.MISSING, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{Path(program).name}: {part} is missing; ")
    assert done.stdout == ""
