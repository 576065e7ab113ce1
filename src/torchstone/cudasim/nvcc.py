"""nvcc queries: registers, shared memory and occupancy of a kernel.

Nothing here needs a GPU. nvcc is looked for on ``PATH``, and then in the wheels that
``torchstone[cuda]`` installs. Without nvcc, the queries return None.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from torchstone.cudasim.findings import bare_name

DEFAULT_ARCH = "sm_80"
_COMPILE_SECONDS = 120.0
_DEMANGLERS = ("c++filt", "llvm-cxxfilt", "cu++filt")


@dataclass(frozen=True, slots=True, kw_only=True)
class Multiprocessor:
    """Resources of a multiprocessor.

    Attributes:
        max_threads: The maximum number of resident threads.
        max_blocks: The maximum number of resident blocks.
        num_registers: The number of 32-bit registers.
        registers_step: The registers of a warp are rounded up to a multiple of this.
        warps_step: Registers are allocated for a multiple of this number of warps.
        shared_bytes: The size of shared memory.
        shared_step: The shared memory of a block is rounded up to a multiple of this many bytes.
        reserved_bytes: Shared memory of each block that the system reserves.
    """

    max_threads: int
    max_blocks: int
    num_registers: int
    registers_step: int
    warps_step: int
    shared_bytes: int
    shared_step: int
    reserved_bytes: int


# Source: CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability"; the
# steps are those of the occupancy calculator of Nsight Compute.
MULTIPROCESSORS = {
    arch: Multiprocessor(
        max_threads=threads,
        max_blocks=blocks,
        num_registers=65536,
        registers_step=256,
        warps_step=4,
        shared_bytes=shared << 10,
        shared_step=128,
        reserved_bytes=1024,
    )
    for arch, threads, blocks, shared in (
        ("sm_80", 2048, 32, 164),
        ("sm_86", 1536, 16, 100),
        ("sm_89", 1536, 24, 100),
        ("sm_90", 2048, 32, 228),
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """Resources of a kernel as ptxas reports them.

    Attributes:
        kernel: The name of the kernel, without its parameters.
        registers: Registers per thread.
        spill_store_bytes: Bytes of spilled registers that each thread stores.
        spill_load_bytes: Bytes of spilled registers that each thread loads.
        stack_bytes: Local memory per thread.
        shared_bytes: Shared memory that the kernel declares.
    """

    kernel: str
    registers: int
    spill_store_bytes: int
    spill_load_bytes: int
    stack_bytes: int
    shared_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Occupancy:
    """Occupancy of a multiprocessor.

    Attributes:
        blocks: The number of resident blocks; 0 where not even one fits.
        fraction: The resident threads divided by the maximum.
        limits: The limiting resources: threads, blocks, registers, shared memory.
    """

    blocks: int
    fraction: float
    limits: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What nvcc reports about a program.

    Attributes:
        arch: The GPU architecture, such as "sm_80".
        error: The messages, if nvcc rejects the program; else empty.
        kernels: The resources of each kernel.
    """

    arch: str
    error: str
    kernels: tuple[Resources, ...]


def find_nvcc() -> Path | None:
    """Return the path of nvcc on ``PATH`` or in the installed wheels; None if there is none."""
    found = shutil.which("nvcc")
    if found is not None:
        return Path(found)
    try:
        package = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        return None
    roots = package.submodule_search_locations if package else None
    # The wheels contain nvidia/cu13/bin since CUDA 13, and nvidia/cuda_nvcc/bin before.
    for root in roots or ():
        for each in sorted(Path(root).glob("*/bin/nvcc"), reverse=True):
            if os.access(each, os.X_OK):
                return each
    return None


def ask_nvcc(program: Path, *, arch: str = DEFAULT_ARCH) -> Answer | None:
    """Compile a program with nvcc, and read the resources of its kernels.

    Args:
        program: The path of a CUDA C++ file.
        arch: The GPU architecture: "sm_80", "sm_90", ...

    Returns:
        The answer; None if nvcc is missing or gives no answer.
    """
    nvcc = find_nvcc()
    if nvcc is None:
        return None
    with tempfile.TemporaryDirectory(prefix="cusim-") as folder:
        options = ["-std=c++17", f"-arch={arch}", "-cubin", "-Xptxas", "-v"]
        command = [str(nvcc), *options, "-o", str(Path(folder) / "program.cubin")]
        # An absolute path is never mistaken for an option.
        command.append(str(program.resolve()))
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                errors="replace", check=False, timeout=_COMPILE_SECONDS,
                env={**os.environ, "TMPDIR": folder},
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            return None
    said = done.stdout + done.stderr
    if done.returncode:
        return Answer(arch=arch, error=said.strip() or f"nvcc ended with {done.returncode}",
                       kernels=())  # fmt: skip
    return Answer(arch=arch, error="", kernels=read_resources(said.splitlines()))


def read_resources(lines: Iterable[str]) -> tuple[Resources, ...]:
    """Parse the output of ``ptxas -v``."""
    found: dict[str, dict[str, int]] = {}
    kernels: list[str] = []
    name = ""
    for line in lines:
        if entry := re.search(r"Compiling entry function '([^']+)'", line):
            name = entry[1]
            kernels.append(name)
        elif about := re.search(r"Function properties for (\S+)", line):
            name = about[1]
        # nvcc reports only the stack of device functions that are not inlined; they are no kernels.
        numbers = found.setdefault(name, {})
        for key, pattern in _NUMBERS.items():
            if number := re.search(pattern, line):
                numbers[key] = int(number[1])
    readable = _demangle(kernels)
    return tuple(
        Resources(kernel=shown, **(dict.fromkeys(_NUMBERS, 0) | found[mangled]))
        for mangled, shown in zip(kernels, readable, strict=True)
    )


_NUMBERS = {
    "registers": r"Used (\d+) registers",
    "spill_store_bytes": r"(\d+) bytes spill stores",
    "spill_load_bytes": r"(\d+) bytes spill loads",
    "stack_bytes": r"(\d+) bytes stack frame",
    "shared_bytes": r"(\d+) bytes smem",
}


def _demangle(names: Sequence[str]) -> list[str]:
    tool = next(filter(None, map(shutil.which, _DEMANGLERS)), None)
    if tool is None or not names:
        return list(names)
    done = subprocess.run(
        [tool, *names], capture_output=True, text=True, errors="replace", check=False
    )
    shown = done.stdout.splitlines()
    return [bare_name(each) for each in shown] if len(shown) == len(names) else list(names)


def compute_occupancy(
    resources: Resources, *, num_threads: int, dynamic_bytes: int = 0, arch: str = DEFAULT_ARCH
) -> Occupancy:
    """Compute how many blocks of a kernel are resident on a multiprocessor.

    Args:
        resources: The resources of the kernel.
        num_threads: The number of threads of a block.
        dynamic_bytes: Shared memory that the launch adds.
        arch: One of ``MULTIPROCESSORS``.
    """
    card = MULTIPROCESSORS[arch]
    warps = -(-num_threads // 32)
    shared = resources.shared_bytes + dynamic_bytes + card.reserved_bytes
    blocks_by = {
        "threads": card.max_threads // (32 * warps),
        "blocks": card.max_blocks,
        "shared memory": card.shared_bytes // _round_up(shared, card.shared_step),
    }
    if resources.registers:
        each = _round_up(32 * resources.registers, card.registers_step)
        fitting = card.num_registers // each // card.warps_step * card.warps_step
        blocks_by["registers"] = fitting // warps
    blocks = min(blocks_by.values())
    return Occupancy(
        blocks=blocks,
        fraction=blocks * warps * 32 / card.max_threads,
        limits=tuple(name for name, each in blocks_by.items() if each == blocks),
    )


def _round_up(number: int, step: int) -> int:
    return -(-number // step) * step
