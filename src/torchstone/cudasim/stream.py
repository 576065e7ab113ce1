"""Token streams of a CUDA program: the program itself and each macro body."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from torchstone.cudasim.tokens import Kind, Token

_CLOSERS = {")": "(", "]": "[", "}": "{"}
_OPENERS = frozenset("([{")

# A macro that expands to these words alone counts as the words themselves.
QUALIFIERS = frozenset(
    """__global__ __device__ __host__ __shared__ __constant__ __managed__ __forceinline__
    __noinline__ __inline__ __inline inline static extern const volatile constexpr
    __restrict__ __grid_constant__ template""".split()
)
_HEADS = frozenset(("__global__", "template"))
_BODIES = frozenset("{ } ; ##".split())
_NO_WORDS: frozenset[str] = frozenset()


@dataclass(slots=True, kw_only=True)
class Stream:
    """Sequence of tokens as the compiler reads them, with matched brackets.

    Attributes:
        tokens: The code, without white space and comments.
        partner: For each bracket the position of its counterpart; -1 for everything else.
        conditional: For each token whether it is within an ``#if``.
        macro: The name of the macro whose body this is; empty for the program itself.
        parameters: The names of the macro's parameters in order.
    """

    tokens: list[Token] = field(default_factory=list)
    partner: list[int] = field(default_factory=list)
    conditional: list[bool] = field(default_factory=list)
    macro: str = ""
    parameters: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.tokens)

    def spelling(self, place: int) -> str:
        """Return the spelling of the token at a position; empty outside of the stream."""
        return self.tokens[place].spelling if 0 <= place < len(self.tokens) else ""

    def is_word(self, place: int) -> bool:
        """Return whether the token at a position is an identifier or a keyword."""
        return 0 <= place < len(self.tokens) and self.tokens[place].kind is Kind.WORD

    def text(self, start: int, stop: int) -> str:
        """Return the code between two positions on one line."""
        parts: list[str] = []
        for place in range(start, stop):
            token = self.tokens[place]
            if parts and token.index != self.tokens[place - 1].index + 1:
                parts.append(" ")
            parts.append(token.spelling)
        return "".join(parts)

    def alternatives(self, place: int) -> list[int]:
        """Return the opening brackets in other branches of an #if with the same closing one."""
        close = self.partner[place]
        between = range(place + 1, close)
        return [k for k in between if self.partner[k] == close]

    def qualifiers_of(self, place: int) -> tuple[str, ...]:
        """Return the qualifiers of a name: ``outer``, ``inner`` of ``outer::inner::name``."""
        names: list[str] = []
        while self.spelling(place - 1) == "::" and self.is_word(place - 2):
            place -= 2
            names.insert(0, self.spelling(place))
        return tuple(names)

    def match_angle(self, start: int, stop: int) -> int:
        """Return the position of the ``>`` that closes the ``<`` at ``start``, or -1."""
        depth = 0
        place = start
        while place < stop:
            spelling = self.tokens[place].spelling
            if spelling == "<":
                depth += 1
            elif spelling == ">":
                depth -= 1
                if depth == 0:
                    return place
            elif spelling in _OPENERS:
                if self.partner[place] < 0:
                    return -1
                place = self.partner[place]
            elif spelling in (";", ")", "]", "}"):
                return -1
            place += 1
        return -1

    def match_angle_back(self, end: int) -> int:
        """Return the position of the ``<`` that the ``>`` at ``end`` closes, or -1."""
        depth = 0
        place = end
        while place >= 0:
            spelling = self.tokens[place].spelling
            if spelling == ">":
                depth += 1
            elif spelling == "<":
                depth -= 1
                if depth == 0:
                    return place
            elif spelling in _CLOSERS:
                if self.partner[place] < 0:
                    return -1
                place = self.partner[place]
            elif spelling in (";", "(", "[", "{", "<<<"):
                return -1
            place -= 1
        return -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """One ``#include <...>``.

    Attributes:
        name: The text between the angle brackets.
        keyword: The token ``include``.
        token: The token ``<``.
        conditional: Whether it is within an ``#if``.
    """

    name: str
    keyword: Token
    token: Token
    conditional: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One source file, split into streams.

    Attributes:
        tokens: All tokens, including white space and comments.
        code: The code outside of preprocessor lines.
        macros: The body of each ``#define``.
        aliases: Macros that expand to qualifiers: name -> qualifiers.
        includes: The string tokens of each ``#include "..."``.
        headers: The included system headers.
        defined: The names of all macros.
    """

    tokens: list[Token]
    code: Stream
    macros: list[Stream]
    aliases: Mapping[str, frozenset[str]]
    includes: list[Token]
    headers: list[Header]
    defined: frozenset[str]


@dataclass(slots=True)
class _Conditional:
    """State of one ``#if`` and its branches."""

    decided: bool | None  # value of a condition that is a literal 0 or 1
    guard: bool  # whether it is an include guard
    stack: list[int]  # brackets open at #if
    active_before: bool
    orphans: list[list[int]] = field(default_factory=list)


class _Reader:
    """Token reader that follows ``#if``, so that brackets match in every branch."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.code = Stream()
        self.macros: list[Stream] = []
        self.includes: list[Token] = []
        self.headers: list[Header] = []
        self._conditionals: list[_Conditional] = []
        self._open: list[int] = []
        self._alternatives: dict[int, list[int]] = {}
        self._active = True

    def read(self) -> None:
        code = [token for token in self.tokens if token.is_code]
        place = 0
        while place < len(code):
            number = code[place].directive
            if number == 0:
                if self._active:
                    self._take(code[place])
                place += 1
                continue
            stop = place
            while stop < len(code) and code[stop].directive == number:
                stop += 1
            self._directive(code[place:stop])
            place = stop

    def _take(self, token: Token) -> None:
        place = len(self.code.tokens)
        self.code.tokens.append(token)
        self.code.partner.append(-1)
        self.code.conditional.append(any(not each.guard for each in self._conditionals))
        if token.kind is not Kind.MARK:
            return
        if token.spelling in _OPENERS:
            self._open.append(place)
        elif token.spelling in _CLOSERS:
            self._close(place, _CLOSERS[token.spelling])

    def _close(self, place: int, opener: str) -> None:
        if not self._open or self.code.spelling(self._open[-1]) != opener:
            return
        begin = self._open.pop()
        self.code.partner[begin] = place
        self.code.partner[place] = begin
        for other in self._alternatives.pop(begin, []):
            self.code.partner[other] = place

    def _directive(self, line: list[Token]) -> None:
        words = [token.spelling for token in line[1:]]
        if not words:
            return
        name = words[0]
        if name in ("if", "ifdef", "ifndef"):
            self._begin_if(line, words)
        elif name in ("else", "elif", "elifdef", "elifndef"):
            self._next_branch(words)
        elif name == "endif":
            self._end_if()
        elif not self._active:
            return
        elif name == "define" and len(line) > 2:
            self._define(line)
        elif name in ("include", "include_next") and len(line) > 2:
            self._include(line)

    def _begin_if(self, line: list[Token], words: list[str]) -> None:
        decided = {"0": False, "false": False, "1": True, "true": True}.get(" ".join(words[1:]))
        if words[0] != "if":
            decided = None
        # An include guard precedes all code.
        guard = words[0] == "ifndef" and not self.code.tokens and not self._conditionals
        self._conditionals.append(_Conditional(decided, guard, list(self._open), self._active))
        self._active = self._active and decided is not False

    def _next_branch(self, words: list[str]) -> None:
        if not self._conditionals:
            return
        top = self._conditionals[-1]
        if self._active:
            top.orphans.append(self._open[len(top.stack) :])
        self._open = list(top.stack)
        if top.decided is not None and words[0] == "else":
            self._active = top.active_before and not top.decided
        else:
            never = words[1:] in (["0"], ["false"])
            self._active = top.active_before and top.decided is not True and not never

    def _end_if(self) -> None:
        if not self._conditionals:
            return
        top = self._conditionals.pop()
        kept = self._open[len(top.stack) :]
        for branch in top.orphans:
            if not kept and branch:
                # `#if A` and `f(int) {` without an `#else`: only the first branch opens the
                # bracket.
                self._open = top.stack + branch
                kept = branch
                continue
            for mine, other in zip(kept, branch, strict=False):
                if mine != other:
                    self._alternatives.setdefault(mine, []).append(other)
        self._active = top.active_before

    def _define(self, line: list[Token]) -> None:
        name = line[2]
        body = 3
        parameters: list[str] = []
        if len(line) > 3 and line[3].spelling == "(" and line[3].index == name.index + 1:
            body = next((k for k in range(3, len(line)) if line[k].spelling == ")"), len(line)) + 1
            words = [token.spelling for token in line[4 : body - 1]]
            parameters = ["__VA_ARGS__" if word == "..." else word for word in words if word != ","]
        tokens = line[body:]
        self.macros.append(
            Stream(
                tokens=tokens,
                partner=_match_brackets(tokens),
                conditional=[True] * len(tokens),
                macro=name.spelling,
                parameters=tuple(parameters),
            )
        )

    def _include(self, line: list[Token]) -> None:
        if line[2].kind is Kind.STRING:
            self.includes.append(line[2])
        elif line[2].spelling == "<":
            name = "".join(token.spelling for token in line[3:]).partition(">")[0]
            conditional = any(not each.guard for each in self._conditionals)
            self.headers.append(
                Header(name=name, keyword=line[1], token=line[2], conditional=conditional)
            )


def _match_brackets(tokens: list[Token]) -> list[int]:
    partner = [-1] * len(tokens)
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token.kind is not Kind.MARK:
            continue
        if token.spelling in _OPENERS:
            opened.append(place)
        elif token.spelling in _CLOSERS:
            if opened and tokens[opened[-1]].spelling == _CLOSERS[token.spelling]:
                partner[place] = opened.pop()
                partner[partner[place]] = place
    return partner


def read_program(tokens: list[Token]) -> Program:
    """Split tokens into the streams that the compiler reads."""
    reader = _Reader(tokens)
    reader.read()
    return Program(
        tokens=tokens,
        code=reader.code,
        macros=reader.macros,
        aliases=find_aliases(reader.macros),
        includes=reader.includes,
        headers=reader.headers,
        defined=frozenset(stream.macro for stream in reader.macros),
    )


def find_aliases(macros: list[Stream]) -> dict[str, frozenset[str]]:
    """Return the macros that expand to qualifiers, such as ``#define HD __host__ __device__``.

    A macro with ``__global__`` or ``template`` may contain more: ``#define KERNEL template <class
    T> __global__ void``.
    """
    aliases: dict[str, frozenset[str]] = {}
    for stream in macros:
        spellings = [token.spelling for token in stream.tokens]
        words = QUALIFIERS.intersection(spellings)
        words |= {each for word in spellings for each in aliases.get(word, _NO_WORDS)}
        is_pure = all(word in QUALIFIERS or word in aliases for word in spellings)
        is_head = bool(words & _HEADS) and not _BODIES.intersection(spellings)
        if words and not stream.parameters and (is_pure or is_head):
            # Branches of an #if may define it differently; combine all of them.
            aliases[stream.macro] = aliases.get(stream.macro, _NO_WORDS) | words
    return aliases


def split_commas(code: Stream, start: int, stop: int) -> list[tuple[int, int]]:
    """Split a list at its commas, except those within brackets or template arguments."""
    parts: list[tuple[int, int]] = []
    begin = place = start
    while place < stop:
        spelling = code.spelling(place)
        if spelling in ("(", "[", "{") and code.partner[place] >= 0:
            place = code.partner[place]
        elif spelling == "<" and code.is_word(place - 1):
            close = code.match_angle(place, stop)
            place = close if close > 0 else place
        elif spelling == ",":
            parts.append((begin, place))
            begin = place + 1
        place += 1
    if begin < stop or parts:
        parts.append((begin, stop))
    return parts


def opener_width(stream: Stream, place: int) -> int:
    """Return the number of tokens of ``<<<`` here, or 0; some editors write ``<< <``."""
    spelling = stream.spelling(place)
    if spelling == "<<<":
        return 1
    return 2 if spelling == "<<" and stream.spelling(place + 1) == "<" else 0


def is_configuration(stream: Stream) -> bool:
    """Return whether this is the body of a macro that is only ``<<<grid, block>>>``."""
    end = len(stream)
    return bool(stream.macro and opener_width(stream, 0)) and stream.text(end - 3, end) == ">>>"


def streams(program: Program) -> Iterator[Stream]:
    """Yield the program itself, then the body of each macro."""
    yield program.code
    yield from program.macros
