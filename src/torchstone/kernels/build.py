"""Compile the CPU kernels when they are first wanted, and keep what was built.

Each instruction set is a compilation of its own, so that the product runs on any processor of the
machine's kind and chooses while it runs. Only ``register_*.cpp`` know torch, and of torch only the
stable ABI, so that a build takes seconds.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch

from torchstone.cudasim.products import content_of, digest, made_once

SOURCES = Path(__file__).with_name("csrc")
NAME = "libtorchstone.so"
FLAGS = (
    *("-std=c++20", "-O3", "-fPIC", "-fvisibility=hidden"),
    *("-ffp-contract=fast", "-fno-math-errno", "-w"),
)
# The oldest torch that the library is to run with: 2.10.
TARGET = "-DTORCH_TARGET_VERSION=0x020a000000000000"
COMPILE_SECONDS = 300.0

_AVX2 = ("-mavx2", "-mfma", "-mf16c")
_AVX512 = (*_AVX2, "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl")
# One compiler says it thus; the other takes wide vectors where the source asks for them.
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


class BuildError(RuntimeError):
    """Return why the kernels cannot be built on this machine."""


def build() -> Path:
    """Return the library, built if it is not there yet.

    Raises:
        BuildError: There is no compiler, or it does not compile the kernels.
    """
    compiler = find_compiler()
    flags = _flags()
    key = digest(content_of(SOURCES), torch.__version__, _identity(compiler), flags, _machine())
    folder = cache_folder() / f"kernels-{key}"
    try:
        with made_once(folder) as making:
            if making is not None:
                _build(compiler, making, flags)
    except RuntimeError as error:
        raise BuildError(str(error)) from None
    return folder / NAME


def cache_folder() -> Path:
    """Return where products are kept: below ``TORCHSTONE_CACHE``, or the user's cache folder."""
    if named := os.environ.get("TORCHSTONE_CACHE"):
        return Path(named).absolute() / "kernels"
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "torchstone" / "kernels"


def find_compiler() -> tuple[str, ...]:
    """Return the command of the C++ compiler: ``CXX``, or the first one that there is.

    Raises:
        BuildError: There is none.
    """
    for command in (os.environ.get("CXX", ""), "c++", "g++", "clang++"):
        words = shlex.split(command)
        if words and shutil.which(words[0]):
            return tuple(words)
    raise BuildError("there is no C++ compiler: install g++ (12 or later), or name one in CXX")


def _identity(compiler: tuple[str, ...]) -> str:
    command = [*compiler, "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    return f"{compiler} {done.stdout}"


def _machine() -> str:
    return platform.machine().lower().replace("amd64", "x86_64").replace("arm64", "aarch64")


def _flags() -> dict[str, tuple[str, ...]]:
    return _SETS.get(_machine(), {"plain": ()})


def _build(compiler: tuple[str, ...], folder: Path, sets: dict[str, tuple[str, ...]]) -> None:
    site = Path(torch.__file__).parent
    steps = [
        *(
            (f"{path.stem}.o", ("-isystem", str(site / "include"), TARGET, str(path)))
            for path in sorted(SOURCES.glob("register_*.cpp"))
        ),
        ("choose.o", (str(SOURCES / "choose.cpp"),)),
        *(
            (f"{name}.o", (*flags, f"-DKERNELS_ISA={name}", str(SOURCES / "isa.cpp")))
            for name, flags in sets.items()
        ),
    ]

    def compile_one(step: tuple[str, tuple[str, ...]]) -> None:
        product, arguments = step
        run_compiler([*compiler, *FLAGS, *arguments, "-c", "-o", product], folder)

    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        list(threads.map(compile_one, steps))
    libraries = [f"-L{site / 'lib'}", "-ltorch_cpu", "-lc10"]
    objects = [product for product, _ in steps]
    run_compiler([*compiler, "-shared", "-Wl,-Bsymbolic", *objects, *libraries, "-o", NAME], folder)
    for product in objects:
        (folder / product).unlink()


def run_compiler(command: list[str], folder: Path) -> None:
    """Run a compiler in a folder.

    Raises:
        BuildError: It fails, with what it said.
    """
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False,
            timeout=COMPILE_SECONDS,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"{command[0]} did not end well: {error}") from None
    if done.returncode:
        said = done.stderr.strip()[-2000:]
        raise BuildError(f"{' '.join(command[:1])} does not compile the kernels:\n{said}")
