"""Instruction counts of a kernel, from the execution counts of its basic blocks.

The check build counts the executions of each basic block. The operations of a block are read from
the machine code: an addition, a multiplication, a division or a square root of floating-point
numbers counts as one operation, a fused multiply-add as two, and a vector instruction as one or two
per lane. Conversions, comparisons, minimum and maximum do not count, nor do integer operations, nor
the operations within library functions (``expf``).
"""

import functools
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

_DISASSEMBLERS = ("objdump", "llvm-objdump")
_SECONDS = 60.0
# The function called at the start of each basic block.
_BEGINS = "__sanitizer_cov_trace_pc"
_INSTRUCTION = re.compile(r"^\s+([0-9a-f]+):\s+(\S+)(.*)")
_LEAVES = re.compile(r"jmpq?|retq?|ud2|hlt|ret|b|br")
_PREFIXES = frozenset(("bnd", "notrack", "rep", "repz"))
_X86 = re.compile(
    r"v?(?:(fn?m(?:add|sub|addsub|subadd)\d*)|h?(?:add|sub)|addsub|mul|div|sqrt)([sp])([sdh])"
)
_ARM = re.compile(r"(fn?m(?:add|sub)|fml[as])|f(?:n?mul|add|addp|sub|div|sqrt)")
_BITS_OF_REGISTER = {"x": 128, "y": 256, "z": 512}
_BITS_OF_NUMBER = {"s": 32, "d": 64, "h": 16}


def count_operations(
    binary: str, executed: Mapping[int, int]
) -> tuple[tuple[int, int], ...] | None:
    """Count the floating-point operations of each instruction.

    Args:
        binary: The path of the program.
        executed: Return address of the call that begins a basic block -> executions of the block.

    Returns:
        Pairs of an address just behind the beginning of an instruction, as ``look_up`` takes it,
        and its operations; None without a disassembler or a readable program.
    """
    blocks = _read_blocks(binary)
    if blocks is None:
        return None
    return tuple(
        (address + 1, operations * count)
        for block, count in executed.items()
        for address, operations in blocks.get(block, ())
    )


@functools.lru_cache(maxsize=64)
def _read_blocks(binary: str) -> dict[int, tuple[tuple[int, int], ...]] | None:
    tool = next(filter(None, map(shutil.which, _DISASSEMBLERS)), None)
    if tool is None or not Path(binary).is_file():
        return None
    try:
        done = subprocess.run(
            [tool, "-d", "--no-show-raw-insn", "--section=.text", binary],
            capture_output=True, text=True, errors="replace", check=False, timeout=_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    return split_blocks(done.stdout.splitlines()) if done.returncode == 0 else None


def split_blocks(lines: Iterable[str]) -> dict[int, tuple[tuple[int, int], ...]]:
    """Parse the output of a disassembler.

    Returns:
        Beginning of a basic block -> pairs of the address of an instruction that computes and its
        number of operations.
    """
    blocks: dict[int, tuple[tuple[int, int], ...]] = {}
    begins, has_begun, found = 0, False, list[tuple[int, int]]()

    def end() -> None:
        if begins and found:
            blocks[begins] = tuple(found)
        found.clear()

    for line in lines:
        parts = _INSTRUCTION.match(line)
        if parts is None:
            continue
        address, name, operands = int(parts[1], 16), parts[2], parts[3]
        if name in _PREFIXES:
            name, _, operands = operands.strip().partition(" ")
        if has_begun:
            begins, has_begun = address, False
        if _BEGINS in operands:
            end()
            begins, has_begun = 0, True
        elif _LEAVES.fullmatch(name):
            end()
            begins = 0
        elif begins and (operations := _operations_of(name, operands)):
            found.append((address, operations))
    end()
    return blocks


def _operations_of(name: str, operands: str) -> int:
    if on_x86 := _X86.fullmatch(name):
        fused, packed, number = on_x86.groups()
        wide = max(re.findall(r"%([xyz])mm", operands), default="x")
        lanes = _BITS_OF_REGISTER[wide] // _BITS_OF_NUMBER[number] if packed == "p" else 1
        return lanes * (2 if fused else 1)
    if on_arm := _ARM.fullmatch(name):
        shape = re.search(r"\.(\d+)[hsd]\b", operands)
        return (int(shape[1]) if shape else 1) * (2 if on_arm[1] else 1)
    return 0
