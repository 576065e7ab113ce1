"""The kernels on the other kind of processor, emulated where there is none."""

import os
import platform
import shutil
import subprocess
from pathlib import Path

import pytest
import torch

from tests.run_folder import run_folder
from torchstone.cudasim.products import content_of, digest
from torchstone.kernels.build import FLAGS, SOURCES, find_compiler

pytestmark = pytest.mark.torch

COMPILER, EMULATOR = "aarch64-linux-gnu-g++", "qemu-aarch64"
HERE = Path(__file__).parent


def results_of(compiler: tuple[str, ...], under: tuple[str, ...], folder: Path) -> torch.Tensor:
    """Compile the plain set with a program that runs it, and read what that writes."""
    flags = [each for each in FLAGS if not each.startswith("-fvisibility")]
    main = HERE / "every_kernel.cpp"
    command = [*compiler, *flags, "-DKERNELS_ISA=plain"]
    asked = subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=True)
    key = digest(asked.stdout, command, content_of(SOURCES), main.read_text("utf-8"))
    program = folder / key
    if not program.exists():
        made = folder / f"{key}.{os.getpid()}"
        files = [str(SOURCES / "isa.cpp"), str(main)]
        build = [*command, f"-I{SOURCES}", *files, "-o", str(made)]
        subprocess.run(build, check=True, timeout=300)
        made.replace(program)
    done = subprocess.run([*under, str(program)], capture_output=True, check=True, timeout=300)
    return torch.frombuffer(bytearray(done.stdout), dtype=torch.float64)


@pytest.mark.full
def test_neon_computes_what_this_processor_computes(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    if platform.machine() == "aarch64":
        pytest.skip("this processor has NEON: all other tests run on it")
    for name in (COMPILER, EMULATOR):
        if shutil.which(name) is None:
            pytest.skip(f"no {name} here; `tools/preflight.sh --tests` says what brings it")
    asked = [COMPILER, "-print-file-name=libc.so.6"]
    libc = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    under = (EMULATOR, "-L", str(Path(libc).resolve().parent.parent))
    folder = run_folder("aarch64", tmp_path_factory)
    here = results_of(find_compiler(), (), folder)
    there = results_of((COMPILER,), under, folder)
    assert here.numel() > 40_000
    assert bool(here.isfinite().all())
    # Half types may round the other way where two instructions are one.
    torch.testing.assert_close(there, here, rtol=2e-2, atol=1e-2)
    # Of float32 and float64 nothing is rounded as coarsely.
    quarter = here.numel() // 4
    torch.testing.assert_close(there[:quarter], here[:quarter], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(there[-quarter:], here[-quarter:], rtol=1e-9, atol=1e-12)
