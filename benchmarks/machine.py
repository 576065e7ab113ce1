"""Describe the machine that a benchmark ran on, and end in one line where a part is missing.

A ratio depends on the instruction set: the same code is faster beside PyTorch with AVX-512 than
with AVX2. Each benchmark prints it beside machine, threads and load.
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import shutil
import sys
from pathlib import Path
from typing import Any, NoReturn

from tests.web.chromium import find_chromium

# The exit status of a program that cannot run here; the same as that of a skipped test in automake.
MISSING = 77
# Flags of /proc/cpuinfo (x86-64) and features of aarch64, the newest first.
INSTRUCTION_SETS = (
    "amx_bf16",
    "amx_int8",
    "avx512_bf16",
    "avx512_vnni",
    "avx512f",
    "avx_vnni",
    "avx2",
    "avx",
    "sse4_2",
    "sve2",
    "sve",
    "asimd",
)
# The function that tells it, with each prefix and suffix that builds of OpenBLAS give it.
OPENBLAS_CORE = (
    "scipy_openblas_get_corename64_",
    "scipy_openblas_get_corename",
    "openblas_get_corename64_",
    "openblas_get_corename",
)


def miss(part: str, remedy: str) -> NoReturn:
    """End the program: one line on stderr, and the exit status of what is missing."""
    sys.stderr.write(f"{Path(sys.argv[0]).name}: {part} is missing; {remedy}\n")
    raise SystemExit(MISSING)


def need_chromium() -> str:
    """Return the path of Chromium, or end the program."""
    return find_chromium() or miss("Chromium", "tools/preflight.sh --tests installs it")


def need_compiler() -> None:
    """End the program where no C++ compiler is found."""
    names = filter(None, (os.environ.get("CXX"), "c++", "g++", "clang++"))
    if not any(map(shutil.which, names)):
        miss("a C++ compiler", "tools/preflight.sh installs it")


def need_gpu() -> None:
    """End the program where PyTorch sees no CUDA device."""
    import torch

    if not torch.cuda.is_available():
        miss("a CUDA device", "nothing is measured")


def cpu_model(cpuinfo: str) -> str:
    """Return the name of the processor, as ``/proc/cpuinfo`` has it."""
    found = re.search(r"^model name\s*:\s*(.+)$", cpuinfo, re.M)
    return found[1] if found else platform.machine()


def cpu_instruction_sets(cpuinfo: str) -> list[str]:
    """Return the instruction sets for vectors that the processor has, the newest first."""
    found = re.search(r"^(?:flags|Features)\s*:\s*(.+)$", cpuinfo, re.M)
    flags = set(found[1].split()) if found else set()
    return [name for name in INSTRUCTION_SETS if name in flags]


def openblas_core() -> str | None:
    """Return for which processor NumPy's OpenBLAS computes, such as ``SkylakeX`` or ``Haswell``.

    None: this NumPy has no OpenBLAS, or one that does not say it.
    """
    import numpy as np

    folder = Path(np.__file__).parent.parent / "numpy.libs"
    for library in folder.glob("*openblas*"):
        loaded = ctypes.CDLL(str(library))
        for name in OPENBLAS_CORE:
            if hasattr(loaded, name):
                function = getattr(loaded, name)
                function.restype = ctypes.c_char_p
                return str(function().decode())
    return None


def describe(*, threads: int | None = None) -> dict[str, Any]:
    """Return the machine, what the libraries compute with, and how busy it is."""
    import torch

    cpuinfo = Path("/proc/cpuinfo").read_text("utf-8")
    return {
        "processor": cpu_model(cpuinfo),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads() if threads is None else threads,
        "instruction_sets": cpu_instruction_sets(cpuinfo),
        "torch_capability": torch.backends.cpu.get_cpu_capability(),
        "openblas_core": openblas_core() or "unknown",
        "kernel": platform.release(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "load": round(os.getloadavg()[0], 1),
    }


def summary(about: dict[str, Any]) -> str:
    """Return one line for people of what ``describe`` found."""
    newest = ", ".join(about["instruction_sets"][:3]) or "none known"
    return (
        f"{about['processor']} ({about['machine']}), {about['cores']} cores, "
        f"{about['threads']} threads; instruction sets: {newest}; "
        f"torch {about['torch']} computes with {about['torch_capability']}, "
        f"OpenBLAS with {about['openblas_core']}; Linux {about['kernel']}, "
        f"Python {about['python']}; load {about['load']}"
    )
