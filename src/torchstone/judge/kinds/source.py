"""Read the source of a native submission and refuse what no compiler may be asked to do.

Code in C++ can do whatever the process can, so the walls are the sandbox's. What is refused here is
what would let a text look past them while it is compiled (files), speak to the simulator and its
detectors, or run before it is called. Each refusal names the word and its line. The text is read as
the compiler reads it: comments away, lines joined, digraphs as the usual marks. Which functions of
the C library it calls is not read off the text, where any name may be the learner's own, but off
what the compiler has made of it: `objects`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from torchstone.cudasim.tokens import CudaSyntaxError, Kind, Token, tokenize

CUDA_HEADERS = frozenset(
    """cuda_runtime.h cuda_fp16.h cuda_bf16.h cooperative_groups.h cooperative_groups/reduce.h
    math_constants.h cstdint cfloat climits cmath""".split()
)
# What a host entry may call besides launching.
CUDA_CALLS = frozenset(
    """cudaGetLastError cudaPeekAtLastError cudaGetErrorString cudaMemsetAsync cudaFuncSetAttribute
    cudaMemcpyAsync cudaMemcpyToSymbol cudaMemcpyToSymbolAsync cudaStreamSynchronize
    cudaDeviceSynchronize""".split()
)
SCRATCH_CALLS = frozenset(("cudaMalloc", "cudaMallocAsync", "cudaFree", "cudaFreeAsync"))

_PRAGMAS = ("unroll", "once", "nv_")
_DIRECTIVES = frozenset("include define undef if ifdef ifndef elif else endif error pragma".split())
_ATTRIBUTES = frozenset(
    "maybe_unused nodiscard fallthrough noreturn likely unlikely deprecated".split()
)
_WORDS = frozenset(
    """asm __asm __asm__ __attribute__ __attribute __declspec _Pragma __pragma thread_local __thread
    __has_include __has_include_next __has_embed __extension__ __label__
    __import module co_await co_yield co_return""".split()
)
_PREFIXES = ("__builtin_", "__tsan_", "__asan_", "__sanitizer_", "__sync_", "__atomic_", "__gcov_")
_SIMULATOR = re.compile(r"_*cusim|.*__tsan|.*cusim_", re.IGNORECASE)
# What a macro may not be called: the names that the language, the simulator or CUDA gave.
_TAKEN = re.compile(
    r"__\w*|(?:thread|block)Idx|(?:block|grid)Dim|warpSize|atomic\w*|cuda\w*|dim3|u?int[1-4]|"
    r"float[1-4]|double[1-4]|half2?|defined"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Say what one problem lets a source hold.

    Attributes:
        headers: What it may include, without the angle brackets.
        calls: The functions ``cuda...`` that it may name.
    """

    headers: frozenset[str]
    calls: frozenset[str]


CUDA_RULES = Rules(headers=CUDA_HEADERS, calls=CUDA_CALLS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Name what is refused.

    Attributes:
        code: ``CE``, or ``FORBIDDEN_OP`` for what compiles and may not be called.
        key: The entry of the catalogue that says why: ``judge.refused.<key>``.
        word: The word itself.
        line: Its line.
        column: Its column.
    """

    code: str
    key: str
    word: str
    line: int
    column: int


def refuse_source(text: str, rules: Rules) -> Refusal | None:
    """Find the first thing in a source that is refused; None if there is none.

    Raises:
        CudaSyntaxError: The text cannot be read at all.
    """
    if "\0" in text:
        raise CudaSyntaxError(
            "a zero byte; a source is text",
            name="kernel.cu",
            line=text[: text.index("\0")].count("\n") + 1,
            column=1,
        )
    tokens = tokenize(text)
    code = [token for token in tokens if token.is_code]
    # What stands in an include is judged as a whole.
    includes = {
        each.directive
        for before, each in pairwise(code)
        if each.spelling == "include" and before.spelling == "#" and each.directive
    }
    other = [token for token in code if token.directive not in includes]
    found = [*_refuse_directives(code, rules), *_refuse_words(other, rules), *_refuse_marks(other)]
    return min(found, key=lambda each: (each.line, each.column), default=None)


def _refuse_directives(code: Sequence[Token], rules: Rules) -> Iterator[Refusal]:
    place = 0
    while place < len(code):
        number = code[place].directive
        stop = place
        while stop < len(code) and code[stop].directive == number:
            stop += 1
        if number and stop > place + 1:
            yield from _refuse_directive(code[place + 1 : stop], rules)
        place = stop


def _refuse_directive(line: Sequence[Token], rules: Rules) -> Iterator[Refusal]:
    name = line[0].spelling
    if name not in _DIRECTIVES:
        yield _refuse("directive", line[0])
    elif name == "include":
        header = "".join(token.spelling for token in line[1:])
        if not (header.startswith("<") and header.endswith(">") and header[1:-1] in rules.headers):
            yield _refuse("include", line[0], word=header[:80])
    elif name == "pragma":
        what = line[1].spelling if len(line) > 1 else ""
        if not what.startswith(_PRAGMAS):
            yield _refuse("pragma", line[0], word=what)
    elif name in ("define", "undef") and len(line) > 1 and _TAKEN.fullmatch(line[1].spelling):
        yield _refuse("macro", line[1])


def _refuse_words(code: Sequence[Token], rules: Rules) -> Iterator[Refusal]:
    for token in code:
        if token.kind is not Kind.WORD:
            continue
        word = token.spelling
        if word in _WORDS or word.startswith(_PREFIXES) or _SIMULATOR.match(word):
            yield _refuse("word", token)
        elif word.startswith("cuda") and _is_call(word) and word not in rules.calls:
            yield _refuse("cuda_call", token, code="FORBIDDEN_OP")
        elif "$" in word or not word.isascii():
            yield _refuse("letters", token)


def _is_call(word: str) -> bool:
    """Tell a function of the runtime API from a type, an error code or a constant."""
    return not word.startswith(("cudaError", "cudaSuccess")) and word not in _CONSTANTS


_CONSTANTS = frozenset(
    """cudaStream_t cudaMemcpyDeviceToDevice cudaFuncAttributeMaxDynamicSharedMemorySize
    cudaFuncAttributePreferredSharedMemoryCarveout cudaMemcpyKind cudaFuncAttribute
    cudaMemcpyDefault""".split()
)


def _refuse_marks(code: Sequence[Token]) -> Iterator[Refusal]:
    for place, token in enumerate(code):
        if token.spelling == "##":
            yield _refuse("pasting", token)
        elif token.spelling == "[" and place + 1 < len(code) and code[place + 1].spelling == "[":
            name = code[place + 2].spelling if place + 2 < len(code) else ""
            if name not in _ATTRIBUTES:
                yield _refuse("attribute", token, word=f"[[{name}")


def _refuse(key: str, token: Token, *, word: str = "", code: str = "CE") -> Refusal:
    return Refusal(
        code=code, key=key, word=word or token.spelling, line=token.line, column=token.column
    )
