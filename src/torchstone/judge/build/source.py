"""Source check of native submissions: refuse code that no compiler may receive.

Code in C++ can do whatever the process can, so the walls are the sandbox's; what initialisers do
before anything is called is theirs, too. What is refused here is what would let a text look past
them while it is compiled (files), or speak to the simulator and its detectors. Each refusal names
the word and its line. The text is read as the compiler reads it: comments away, lines joined,
digraphs as the usual marks. Which functions of the C library it calls is not read off the text,
where any name may be the learner's own, but off what the compiler has made of it: `objects`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice, takewhile

from torchstone.cudasim.tokens import Kind, Token, tokenize

CUDA_HEADERS = frozenset(
    """cuda_runtime.h cuda_fp16.h cuda_bf16.h cooperative_groups.h cooperative_groups/reduce.h
    math_constants.h cstdint cfloat climits cmath""".split()
)
# The stable ABI of torch, and those of the standard library that open no file and start no thread.
CPP_HEADERS = frozenset(
    """torch/csrc/stable/library.h torch/csrc/stable/tensor.h torch/csrc/stable/ops.h
    torch/csrc/stable/device.h torch/csrc/stable/accelerator.h torch/csrc/stable/macros.h
    torch/csrc/stable/stableivalue_conversions.h torch/csrc/stable/version.h
    algorithm array bit cfloat climits cmath concepts cstddef cstdint cstring functional limits
    memory numeric optional span stdexcept string string_view tuple type_traits utility variant
    vector""".split()
)
HEADER_ONLY = "torch/headeronly/"
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
    __extension__ __label__
    __import co_await co_yield co_return""".split()
)
# What one compiler takes for the end of a line and another does not, and what is no character.
_ODD = re.compile(r"\0|\r(?!\n)|[\ud800-\udfff]")
# The builds differ in some of these: who asks could behave only where somebody looks.
_PREFIXES = (
    "__SANITIZE_",
    "__has_",
    "__builtin_",
    "__tsan_",
    "__asan_",
    "__sanitizer_",
    "__sync_",
    "__atomic_",
    "__gcov_",
)
_SIMULATOR = re.compile(r"_*cusim|.*__tsan|.*cusim_", re.IGNORECASE)
# What a macro may not be called: the names that the language, the simulator or CUDA gave.
_TAKEN = re.compile(
    r"__\w*|(?:thread|block)Idx|(?:block|grid)Dim|warpSize|atomic\w*|cuda\w*|dim3|u?int[1-4]|"
    r"float[1-4]|double[1-4]|half2?|defined"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Hold what the source of one problem may contain.

    Attributes:
        headers: What it may include, without the angle brackets.
        calls: The functions ``cuda...`` that it may name.
        folder: A folder of headers, each of which it may include; none if empty.
        pastes: Whether its macros may make words of two.
    """

    headers: frozenset[str]
    calls: frozenset[str] = frozenset()
    folder: str = ""
    pastes: bool = False

    def lets_include(self, header: str) -> bool:
        """Return whether a header, as the line spells it, may be included."""
        name = header[1:-1]
        if not (header.startswith("<") and header.endswith(">")):
            return False
        is_below = bool(self.folder) and name.startswith(self.folder) and ".." not in name
        return name in self.headers or is_below


CUDA_RULES = Rules(headers=CUDA_HEADERS, calls=CUDA_CALLS)
# What macros paste is read off the object's symbols.
CPP_RULES = Rules(headers=CPP_HEADERS, folder=HEADER_ONLY, pastes=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Name what is refused.

    Attributes:
        code: ``CE``, or ``FORBIDDEN_OP`` for what compiles and may not be called.
        key: Which rule it breaks: ``include``, ``word``, ``quote``, ...
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
    """Find the first thing in a source that is refused; None if there is none."""
    text = text.removeprefix("\ufeff")
    if odd := _ODD.search(text):
        line = text[: odd.start()].count("\n") + 1
        word = f"U+{ord(odd[0]):04X}"
        return Refusal(code="CE", key="character", word=word, line=line, column=1)
    code = [token for token in tokenize(text) if token.is_code]
    lines = list(_directives(code))
    # What stands in an include is judged as a whole.
    includes = {line[0].directive for line in lines if line[1].spelling == "include"}
    other = [token for token in code if token.directive not in includes]
    found = [
        *(refusal for line in lines for refusal in _refuse_directive(line[1:], rules)),
        *_refuse_words(other, rules),
        *_refuse_marks(other, rules),
        *_refuse_attributes(other),
    ]
    return min(found, key=lambda each: (each.line, each.column), default=None)


def refuse_includes(text: str, rules: Rules, own: Collection[str]) -> Refusal | None:
    """Find the first header of torch's that a source of a package may not include.

    Args:
        text: The source.
        rules: What it may include of torch; what else the machine has is no matter of ours.
        own: The files of the package, which it may all include.
    """
    for line in _directives([token for token in tokenize(text) if token.is_code]):
        if line[1].spelling != "include":
            continue
        header = "".join(token.spelling for token in line[2:])
        name = header[1:-1]
        is_own = header.startswith('"') and any(each.endswith(name) for each in own)
        is_plain = "/" not in name and name != "" and header[0] in '"<'
        if not (is_own or is_plain or rules.lets_include(f"<{name}>")):
            return _refuse("include", line[1], word=header[:80])
    return None


def refuse_expanded(text: str, name: str) -> Refusal | None:
    """Find an attribute in what the preprocessor has made of a source, where macros are no more.

    Args:
        text: Its output, with line markers.
        name: Of the source; what comes from a header is not looked at.
    """
    line, is_own, kept = 0, False, list[str]()
    for each in text.split("\n"):
        if marker := _MARKER.match(each):
            line, is_own = int(marker[1]), marker[2] == name
            continue
        if is_own and ("[" in each or "<:" in each or "]" in each):
            kept.append(f"{each} // {line}")
        line += 1
    code = [token for token in tokenize("\n".join(kept)) if token.is_code]
    found = next(_refuse_attributes(code), None)
    if found is None:
        return None
    return replace(found, line=int(kept[found.line - 1].rpartition("// ")[2]), column=0)


_MARKER = re.compile(r'# (\d+) "([^"]*)"')


def _directives(code: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield the code of each preprocessor line that says anything."""
    for number, tokens in groupby(code, key=lambda token: token.directive):
        line = list(tokens)
        if number and len(line) > 1:
            yield line


def _refuse_directive(line: Sequence[Token], rules: Rules) -> Iterator[Refusal]:
    name = line[0].spelling
    if name not in _DIRECTIVES:
        yield _refuse("directive", line[0])
    elif name == "include":
        header = "".join(token.spelling for token in line[1:])
        if not rules.lets_include(header):
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
        elif word.startswith("cuda") and word != "cuda" and _is_call(word, rules):
            yield _refuse("cuda_call", token, code="FORBIDDEN_OP")
        elif "$" in word or not word.isascii():
            yield _refuse("letters", token)


def _is_call(word: str, rules: Rules) -> bool:
    """Distinguish a misplaced runtime API function from a type or a constant."""
    is_other = word.startswith(("cudaError", "cudaSuccess")) or word in _CONSTANTS
    return not is_other and word not in rules.calls


_CONSTANTS = frozenset(
    """cudaStream_t cudaMemcpyDeviceToDevice cudaFuncAttributeMaxDynamicSharedMemorySize
    cudaFuncAttributePreferredSharedMemoryCarveout cudaMemcpyKind cudaFuncAttribute""".split()
)


def _refuse_marks(code: Sequence[Token], rules: Rules) -> Iterator[Refusal]:
    for token in code:
        if token.spelling == "##" and not rules.pastes:
            yield _refuse("pasting", token)
        elif token.kind is Kind.MARK and token.spelling[0] in "\"'":
            yield _refuse("quote", token, word=token.spelling[:20])


def _refuse_attributes(code: Sequence[Token]) -> Iterator[Refusal]:
    """Refuse attributes but the harmless ones, and macros from whose parts one could be made."""
    for place, token in enumerate(code):
        if token.spelling == "[" and _spelling(code, place + 1) == "[":
            inside = takewhile(lambda each: each.spelling != "]", islice(code, place + 2, None))
            odd = next((each for each in inside if each.spelling not in (*_ATTRIBUTES, ",")), None)
            if odd is not None or _spelling(code, place + 2) in ("]", ""):
                yield _refuse("attribute", token, word=f"[[{odd.spelling if odd else ''}")
                return
    for line in _directives(code):
        if line[1].spelling == "define" and not _is_balanced(line[2:]):
            yield _refuse("brackets", line[1], word=_spelling(line, 2))


def _is_balanced(body: Sequence[Token]) -> bool:
    depth = {")": 0, "]": 0}
    for token in body:
        if token.spelling in ("(", "["):
            depth[_CLOSER[token.spelling]] += 1
        elif token.spelling in depth:
            depth[token.spelling] -= 1
            if depth[token.spelling] < 0:
                return False
    return not any(depth.values())


_CLOSER = {"(": ")", "[": "]"}


def _spelling(code: Sequence[Token], place: int) -> str:
    return code[place].spelling if place < len(code) else ""


def _refuse(key: str, token: Token, *, word: str = "", code: str = "CE") -> Refusal:
    return Refusal(
        code=code, key=key, word=word or token.spelling, line=token.line, column=token.column
    )
