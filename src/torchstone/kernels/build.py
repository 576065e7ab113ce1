"""Compiler commands of the CPU kernels, and the cache folder of the library.

Each instruction set is compiled separately, and the library selects one at run time. By default the
best set that this processor supports is compiled; with ``TORCHSTONE_KERNEL_SETS=all`` all supported
sets are, for comparisons. The key of the library depends on the sets, so machines can share a cache
folder. Only ``register_*.cpp`` depend on PyTorch, and only on its stable ABI, which keeps the build
short.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import torch

from torchstone.cudasim.products import content_of, digest
from torchstone.kernels.background import BuildError, Recipe

SOURCES = Path(__file__).with_name("csrc")
NAME = "libtorchstone.so"
FLAGS = (
    *("-std=c++20", "-O3", "-fPIC", "-fvisibility=hidden"),
    *("-ffp-contract=fast", "-fno-math-errno", "-w"),
)
# The oldest PyTorch that the library must run with: 2.10.
TARGET = "-DTORCH_TARGET_VERSION=0x020a000000000000"
VERSION_SECONDS = 60.0
CPUINFO = Path("/proc/cpuinfo")

_AVX2 = ("-mavx2", "-mfma", "-mf16c")
_AVX512 = (*_AVX2, "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl")
# Without this option a compiler may prefer narrower vectors on AVX-512 processors.
_WIDE = ("-mprefer-vector-width=512",)
_SETS: dict[str, dict[str, tuple[str, ...]]] = {
    "x86_64": {
        "plain": (),
        "avx2": _AVX2,
        "avx512": (*_AVX512, *_WIDE),
        "avx512_bf16": (*_AVX512, "-mavx512bf16", *_WIDE),
    },
    "aarch64": {"plain": ()},
}


def recipe() -> Recipe:
    """Return the recipe of the library for this machine, PyTorch version and compiler.

    Raises:
        BuildError: There is no compiler.
    """
    compiler = find_compiler()
    sets = compiled_sets()
    flags = (FLAGS, TARGET, sets)
    key = digest(content_of(SOURCES), torch.__version__, _identity(compiler), flags, _machine())
    objects = _objects(compiler, sets)
    return Recipe(
        product=cache_folder() / f"kernels-{key}" / NAME,
        objects=objects,
        link=_link(compiler, [name for name, _ in objects]),
    )


def cache_folder() -> Path:
    """Return the cache folder: below ``TORCHSTONE_CACHE``, or in the user's cache folder."""
    if named := os.environ.get("TORCHSTONE_CACHE"):
        return Path(named).absolute() / "kernels"
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "torchstone" / "kernels"


def find_compiler() -> tuple[str, ...]:
    """Return the command of the C++ compiler: ``CXX``, or the first one found.

    Raises:
        BuildError: There is no compiler.
    """
    for command in (os.environ.get("CXX", ""), "c++", "g++", "clang++"):
        words = shlex.split(command)
        if words and shutil.which(words[0]):
            return tuple(words)
    raise BuildError("there is no C++ compiler: install g++ (12 or later), or name one in CXX")


def runnable_sets(cpuinfo: Path = CPUINFO) -> dict[str, tuple[str, ...]]:
    """Return the options of each instruction set that this processor supports.

    Args:
        cpuinfo: Contents of ``/proc/cpuinfo``; if it lists no flags, all sets of the architecture
            are returned.
    """
    sets = _SETS.get(_machine(), {"plain": ()})
    has = _processor_options(cpuinfo)
    if has is None:
        return sets
    return {
        name: options
        for name, options in sets.items()
        if has.issuperset(option for option in options if option not in _WIDE)
    }


def compiled_sets(cpuinfo: Path = CPUINFO) -> dict[str, tuple[str, ...]]:
    """Return the options of each instruction set that is compiled on this machine."""
    sets = runnable_sets(cpuinfo)
    # If the flags are unknown, the library checks at run time which sets are supported.
    if os.environ.get("TORCHSTONE_KERNEL_SETS") == "all" or _processor_options(cpuinfo) is None:
        return sets
    # Sets are listed from the oldest to the newest; a newer one includes the older ones.
    best = list(sets)[-1]
    return {best: sets[best]}


def _processor_options(cpuinfo: Path) -> set[str] | None:
    """Return the flags of the processor as compilers spell them; None if unknown."""
    try:
        said = re.search(r"^flags\s*:(.*)$", cpuinfo.read_text(), re.MULTILINE)
    except OSError:
        return None
    # Linux writes avx512_bf16 for what compilers call avx512bf16.
    return {f"-m{flag.replace('_', '')}" for flag in said[1].split()} if said else None


def _identity(compiler: tuple[str, ...]) -> str:
    command = [*compiler, "--version"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=VERSION_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"the compiler does not say its version: {error}") from None
    return f"{compiler} {done.stdout}"


def _machine() -> str:
    return platform.machine().lower().replace("amd64", "x86_64").replace("arm64", "aarch64")


def _objects(
    compiler: tuple[str, ...], sets: dict[str, tuple[str, ...]]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the compile commands, the slowest first."""
    include = ("-isystem", str(Path(torch.__file__).parent / "include"), TARGET)
    isa = str(SOURCES / "isa.cpp")
    steps = [
        *((f"{name}.o", (*flags, f"-DKERNELS_ISA={name}", isa)) for name, flags in sets.items()),
        *(
            (f"{path.stem}.o", (*include, str(path)))
            for path in sorted(SOURCES.glob("register_*.cpp"))
        ),
        ("choose.o", (*(f"-DWITH_{name}" for name in sets), str(SOURCES / "choose.cpp"))),
    ]
    return tuple((name, (*compiler, *FLAGS, *arguments, "-c")) for name, arguments in steps)


def _link(compiler: tuple[str, ...], objects: list[str]) -> tuple[str, ...]:
    libraries = (f"-L{Path(torch.__file__).parent / 'lib'}", "-ltorch_cpu", "-lc10")
    return (*compiler, "-shared", "-Wl,-Bsymbolic", *objects, *libraries)
