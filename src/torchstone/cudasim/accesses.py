"""LLVM IR rewriting: keep memory accesses visible to the detectors during optimization.

The detectors see the accesses that remain after clang's optimization. Three earlier transformations
are prevented here, in the LLVM IR between front end and optimizer:

- A structure is copied by ``llvm.memcpy``, which is then taken apart, member by member: one load of
  a ``float4`` would be up to four. A vector stays whole, so each copy becomes loads and stores as
  wide as its alignment allows.
- An access that leaves its branch or its loop loses its line. So a block that accesses memory and
  branches gets, before the branch, an empty instruction that might write any memory.
- To clang, ``threadIdx`` is no constant, because it has members, and would be read again and again;
  and since version 15 no thread-local variable is one, because a function returns its address.
"""

import re
from itertools import count

# The widest access of a GPU, and the largest number of accesses for one copy; a longer copy stays a
# call.
_WIDEST_BYTES = 16
_MOST_PIECES = 16
_CONSTANT = re.compile(
    r"^(@(?:threadIdx|blockIdx|blockDim|gridDim) = external [^%\n]*?)global ", re.M
)
_OWN_ADDRESS = re.compile(
    r"call (?:[\w() ]+ )?ptr @llvm\.threadlocal\.address\.p0\(ptr [^@\n]*"
    r"(@(?:threadIdx|blockIdx|cusim_rank|cusim_shared_base))\)"
)
# Pointers are typed up to LLVM 14; later versions spell all of them `ptr`.
_POINTER = r"(?:i8\*|ptr) (?:\w+ )*?align (\d+) (?:dereferenceable\w*\(\d+\) )?(.+?)"
_COPY = re.compile(
    r"^ +(?:tail )?call void @llvm\.memcpy\.p0(i8)?\.p0(?:i8)?\.i64\("
    rf"{_POINTER}, {_POINTER}, i64 (\d+), i1 (?:zeroext )?false\)(?:.*?(, !dbg !\d+))?.*$",
    re.M,
)
# Vector types by size, because an integer would be split like a structure.
_VALUES = {1: "i8", 2: "<2 x i8>", 4: "<4 x i8>", 8: "<2 x i32>", 16: "<4 x i32>"}
_LOCAL = re.compile(r"^  (%[\w.$-]+|%\"[^\"]*\") = alloca ")
_ACCESS = re.compile(r"^  (?:%\S+ = load |store ).*(?:\*|ptr) (\S+), align \d+")
_BRANCH = re.compile(r"^  (?:br|switch) ")
_ANY_WRITE = '  call void asm sideeffect "", "~{memory}"()'


def show_accesses(text: str) -> str:
    r"""Rewrite an LLVM module in textual form, before any optimization.

    >>> print(show_accesses("  store i32 1, ptr %0, align 4\n  br label %3"))
      store i32 1, ptr %0, align 4
      call void asm sideeffect "", "~{memory}"()
      br label %3
    """
    numbers = count()

    def written_out(match: re.Match[str]) -> str:
        return _pieces(match, numbers)

    text = _OWN_ADDRESS.sub(r"getelementptr i8, ptr \1, i64 0", _CONSTANT.sub(r"\1constant ", text))
    return _keep_in_blocks(_COPY.sub(written_out, text))


def _pieces(match: re.Match[str], numbers: "count[int]") -> str:
    typed, to_align, to, from_align, source, size, place = match.groups(default="")
    num_bytes = int(size)
    # The largest power of two that divides the alignments and the size, at most the widest access.
    step = min(_WIDEST_BYTES, int(to_align), int(from_align), num_bytes & -num_bytes)
    if not 0 < num_bytes <= step * _MOST_PIECES:
        return match[0]
    lines = []
    for offset in range(0, num_bytes, step):
        name = f"%cusim.{next(numbers)}"
        lines += _pointer(f"{name}.from", source, offset, typed=bool(typed), value=_VALUES[step])
        lines += _pointer(f"{name}.to", to, offset, typed=bool(typed), value=_VALUES[step])
        target = f"{_VALUES[step]}*" if typed else "ptr"
        lines.append(f"{name} = load {_VALUES[step]}, {target} {name}.from, align {step}{place}")
        lines.append(f"store {_VALUES[step]} {name}, {target} {name}.to, align {step}{place}")
    return "\n".join(f"  {line}" for line in lines)


def _pointer(name: str, base: str, offset: int, *, typed: bool, value: str) -> list[str]:
    if not typed:
        return [f"{name} = getelementptr i8, ptr {base}, i64 {offset}"]
    return [
        f"{name}.byte = getelementptr i8, i8* {base}, i64 {offset}",
        f"{name} = bitcast i8* {name}.byte to {value}*",
    ]


def _keep_in_blocks(text: str) -> str:
    lines: list[str] = []
    local: set[str] = set()
    has_access = False
    for line in text.split("\n"):
        if line.startswith("define "):
            local, has_access = set(), False
        elif declared := _LOCAL.match(line):
            local.add(declared[1])
        elif access := _ACCESS.match(line):
            has_access |= access[1] not in local
        elif _BRANCH.match(line):
            lines += [_ANY_WRITE] if has_access else []
            has_access = False
        lines.append(line)
    return "\n".join(lines)
