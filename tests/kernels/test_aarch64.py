"""The kernels on the other kind of processor, emulated where there is none."""

import platform
import shutil
import subprocess
from pathlib import Path

import pytest
import torch

from torchstone.kernels.build import FLAGS, SOURCES, find_compiler

pytestmark = pytest.mark.torch

COMPILER, EMULATOR = "aarch64-linux-gnu-g++", "qemu-aarch64"
HERE = Path(__file__).parent


def results_of(compiler: tuple[str, ...], under: tuple[str, ...], folder: Path) -> torch.Tensor:
    """Compile the plain set with a program that runs it, and read what that writes."""
    flags = [each for each in FLAGS if not each.startswith("-fvisibility")]
    program = folder / "program"
    sources = [str(SOURCES / "isa.cpp"), str(HERE / "every_kernel.cpp")]
    command = [*compiler, *flags, "-DKERNELS_ISA=plain", f"-I{SOURCES}", *sources]
    subprocess.run([*command, "-o", str(program)], check=True, timeout=300)
    done = subprocess.run([*under, str(program)], capture_output=True, check=True, timeout=300)
    return torch.frombuffer(bytearray(done.stdout), dtype=torch.float64)


@pytest.mark.slow
def test_neon_computes_what_this_processor_computes(tmp_path: Path) -> None:
    if platform.machine() == "aarch64":
        pytest.skip("this processor has NEON: all other tests run on it")
    for name in (COMPILER, EMULATOR):
        if shutil.which(name) is None:
            pytest.skip(f"no {name} here; `tools/preflight.sh --tests` says what brings it")
    asked = [COMPILER, "-print-file-name=libc.so.6"]
    libc = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    under = (EMULATOR, "-L", str(Path(libc).resolve().parent.parent))
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
    here = results_of(find_compiler(), (), tmp_path / "here")
    there = results_of((COMPILER,), under, tmp_path / "there")
    assert here.numel() > 40_000
    assert bool(here.isfinite().all())
    # Half types may round the other way where two instructions are one.
    torch.testing.assert_close(there, here, rtol=2e-2, atol=1e-2)
    # Of float32 and float64 nothing is rounded as coarsely.
    quarter = here.numel() // 4
    torch.testing.assert_close(there[:quarter], here[:quarter], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(there[-quarter:], here[-quarter:], rtol=1e-9, atol=1e-12)
