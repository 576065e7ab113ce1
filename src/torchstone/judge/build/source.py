"""Source check of native submissions: refuse code before a compiler reads it.

C++ code can do everything that its process can do, including in static initialisers, so the sandbox
isolates it. This check refuses source that reads files during compilation, or that refers to the
simulator and its detectors. A refusal names the word and its line. The check reads the text as the
compiler does: without comments, with joined lines, and with digraphs replaced. It does not check
calls of the C library, because in the source any name may be the learner's own; `objects` checks
these calls in the compiled object.
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
# The stable ABI of torch, and standard library headers without files and threads.
CPP_HEADERS = frozenset(
    """torch/csrc/stable/library.h torch/csrc/stable/tensor.h torch/csrc/stable/ops.h
    torch/csrc/stable/device.h torch/csrc/stable/accelerator.h torch/csrc/stable/macros.h
    torch/csrc/stable/stableivalue_conversions.h torch/csrc/stable/version.h
    algorithm array bit cfloat climits cmath concepts cstddef cstdint cstring functional limits
    memory numeric optional span stdexcept string string_view tuple type_traits utility variant
    vector""".split()
)
HEADER_ONLY = "torch/headeronly/"
# Functions that a host entry point may call, besides kernel launches.
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
# Characters that only some compilers treat as a line end, and invalid characters.
_ODD = re.compile(r"\0|\r(?!\n)|[\ud800-\udfff]")
# Some of these names differ between the builds, so a submission could detect the check build.
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
# Names that a macro may not have: those of the language, the simulator and CUDA.
_TAKEN = re.compile(
    r"__\w*|(?:thread|block)Idx|(?:block|grid)Dim|warpSize|atomic\w*|cuda\w*|dim3|u?int[1-4]|"
    r"float[1-4]|double[1-4]|half2?|defined"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Rules for the source of a submission.

    Attributes:
        headers: The headers that it may include, without the angle brackets.
        calls: The functions ``cuda...`` that it may name.
        folder: A folder of headers that it may include; empty for none.
        pastes: Whether its macros may use ``##``.
    """

    headers: frozenset[str]
    calls: frozenset[str] = frozenset()
    folder: str = ""
    pastes: bool = False

    def lets_include(self, header: str) -> bool:
        """Return whether the source may include a header, spelled as in the directive."""
        name = header[1:-1]
        if not (header.startswith("<") and header.endswith(">")):
            return False
        is_below = bool(self.folder) and name.startswith(self.folder) and ".." not in name
        return name in self.headers or is_below


CUDA_RULES = Rules(headers=CUDA_HEADERS, calls=CUDA_CALLS)
# With `##` the source does not show every name, so `objects` checks the symbols.
CPP_RULES = Rules(headers=CPP_HEADERS, folder=HEADER_ONLY, pastes=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A refused word and the rule that it breaks.

    Attributes:
        code: ``CE``, or ``FORBIDDEN_OP`` for a call that compiles and is not permitted.
        key: The rule: ``include``, ``word``, ``quote``, ...
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
    """Return the first refusal of a source; None if the source is permitted."""
    text = text.removeprefix("\ufeff")
    if odd := _ODD.search(text):
        line = text[: odd.start()].count("\n") + 1
        word = f"U+{ord(odd[0]):04X}"
        return Refusal(code="CE", key="character", word=word, line=line, column=1)
    code = [token for token in tokenize(text) if token.is_code]
    lines = list(_directives(code))
    # The words of an include directive are checked together.
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
    """Return the refusal of the first header of torch that a package may not include.

    Args:
        text: The source.
        rules: The permitted headers of torch; other headers of the machine are not checked.
        own: The files of the package; it may include each of them.
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


def first_includes(text: str) -> set[str]:
    """Return the headers that a source includes before all other code, as spelled there."""
    found = set[str]()
    code = (token for token in tokenize(text) if token.is_code)
    for number, tokens in groupby(code, key=lambda token: token.directive):
        line = [token.spelling for token in tokens]
        if not number or line[1:2] != ["include"]:
            break
        found.add("".join(line[2:]))
    return found


def refuse_expanded(text: str, name: str) -> Refusal | None:
    """Return the refusal of an attribute in a preprocessed source, where macros are expanded.

    Args:
        text: The output of the preprocessor, with line markers.
        name: The name of the source; text from headers is not checked.
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
    """Yield the code of each non-empty preprocessor line."""
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
    """Return whether a word is a runtime API function that the rules do not permit."""
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
    """Refuse attributes except harmless ones, and macros whose parts could form an attribute."""
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
