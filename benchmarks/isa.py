"""Limit every library of a benchmark to an instruction set, and ask each what it really uses.

``--isa avx2`` lets a processor with AVX-512 compute as one that has AVX2 alone: torch's own loops,
MKL and oneDNN below them, the code that ``torch.compile`` generates, OpenBLAS and the loops of
NumPy, numba's code, and the kernels of this project. Each reads a variable when it is loaded. What
stays as it is: the clock, the caches and the C library's own copies.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.machine import openblas_core

CHOICES = ("native", "avx2")
# Names the choice to the processes that a benchmark starts.
VARIABLE = "BENCHMARK_ISA"
VARIABLES = {
    "native": {},
    "avx2": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "DNNL_MAX_CPU_ISA": "AVX2",
        "TORCHINDUCTOR_CPP_MARCH": "haswell",
        "TORCHSTONE_KERNEL_SETS": "all",
        "OPENBLAS_CORETYPE": "Haswell",
        # NumPy 2.4 knows the first and the last two; versions before it know the others.
        "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512F AVX512CD AVX512_SKX AVX512_ICL AVX512_SPR",
        "NUMBA_CPU_NAME": "haswell",
        "NUMBA_CPU_FEATURES": "+sse4.2,+popcnt,+avx,+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+movbe",
    },
}  # fmt: skip
# Both print which instructions they use, when they are first asked to compute.
_ASK = """
import torch
a = torch.ones(64, 64)
torch.mm(a, a)
torch.nn.functional.conv2d(torch.ones(1, 16, 8, 8), torch.ones(16, 16, 3, 3))
"""
IN_FORCE = "import json; from benchmarks import isa; print(json.dumps(isa.in_force()))"


def chosen() -> str:
    """Return what the processes of a benchmark are limited to: ``native`` is no limit."""
    return os.environ.get(VARIABLE, "native")


def variables() -> dict[str, str]:
    """Return the environment that limits the libraries."""
    return dict(VARIABLES[chosen()])


def limit(name: str) -> None:
    """Limit the processes that are started from now on."""
    os.environ[VARIABLE] = name
    os.environ.update(VARIABLES[name])


def in_force(*, is_quick: bool = False) -> dict[str, str]:
    """Ask the libraries that this process imports which instructions they use.

    A library that is not installed, or does not say it, is left out; the quick form also leaves
    out those below torch, which need another process.
    """
    asked: dict[str, Callable[[], str | None]] = {
        "torch": _torch, "openblas": openblas_core, "numpy": _numpy, "numba": _numba,
    }  # fmt: skip
    found = {name: ask() for name, ask in asked.items()}
    below = {} if is_quick else _below_torch()
    return {name: value for name, value in found.items() if value} | below


def told(found: dict[str, str]) -> str:
    """Say it in a line."""
    return f"isa={chosen()}: " + ", ".join(f"{name} {value}" for name, value in found.items())


def _torch() -> str:
    import torch

    return str(torch.backends.cpu.get_cpu_capability())


def _numpy() -> str:
    import numpy

    extensions = numpy.show_config(mode="dicts")["SIMD Extensions"]
    return "+".join(extensions.get("found") or extensions["baseline"])


def _numba() -> str | None:
    try:
        import numba
        from llvmlite import binding
    except ImportError:
        return None
    # numba sets its options as attributes of the module when it is imported.
    name = numba.config.CPU_NAME  # type: ignore[attr-defined]
    return str(name or binding.get_host_cpu_name())


def _below_torch() -> dict[str, str]:
    """Ask MKL and oneDNN, which only print it."""
    environment = os.environ | {"MKL_VERBOSE": "1", "ONEDNN_VERBOSE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", _ASK], env=environment, capture_output=True, text=True, check=True
    )
    found = {}
    for line in done.stdout.splitlines():
        if line.startswith("MKL_VERBOSE") and " architecture " in line:
            found["mkl"] = line.partition(" architecture ")[2].partition(" enabled")[0]
        elif line.startswith("onednn_verbose") and "cpu,isa:" in line:
            found["onednn"] = line.partition("cpu,isa:")[2]
    return found


def main() -> None:
    """Print what is in force under a limit."""
    parser = argparse.ArgumentParser(description="Say which instructions each library uses.")
    parser.add_argument("name", nargs="?", choices=CHOICES, default="native")
    parser.add_argument("--quick", action="store_true", help="as without: it takes seconds")
    limit(parser.parse_args().name)
    ask = [sys.executable, "-c", IN_FORCE]
    printed = subprocess.check_output(ask, cwd=Path(__file__).parent.parent, text=True)
    sys.stdout.write(told(json.loads(printed)) + "\n")


if __name__ == "__main__":
    main()
