"""Lossless tokenizer of CUDA C++."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class CudaSyntaxError(ValueError):
    """Raised for an unsupported CUDA program; names the position and the remedy.

    Attributes:
        name: The file name as the user knows it.
        line: The line, from 1.
        column: The column, from 1.
        message: What was found, what was expected, and what to do.
    """

    def __init__(self, message: str, *, name: str, line: int, column: int) -> None:
        super().__init__(f"{name}:{line}:{column}: error: {message}")
        self.name = name
        self.line = line
        self.column = column
        self.message = message


class Kind(Enum):
    """Kind of a token."""

    SPACE = "space"
    COMMENT = "comment"
    STRING = "string"
    CHARACTER = "character"
    NUMBER = "number"
    WORD = "word"
    MARK = "mark"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    r"""One token of the source.

    Attributes:
        index: Its position in the list of all tokens.
        kind: Its kind.
        text: Its characters in the source, with line splices (a backslash before a line end).
        spelling: What the compiler sees: without splices, digraphs as the usual marks.
        line: Line of its first character, from 1.
        column: Column of its first character, from 1.
        directive: Number of the preprocessor line it belongs to, from 1; 0 outside of any.
    """

    index: int
    kind: Kind
    text: str
    spelling: str
    line: int
    column: int
    directive: int

    @property
    def is_code(self) -> bool:
        """Return whether the compiler sees the token: it is neither white space nor a comment."""
        return self.kind is not Kind.SPACE and self.kind is not Kind.COMMENT


# GCC joins lines also where white space follows the backslash.
_SPLICE = re.compile(r"\\[ \t\f\v]*\r?\n")

# `>` is always one token: the parser decides whether `>>` is a shift, the end of two templates or a
# part of `>>>`. `<::` is `<` and `::` unless another `:` or `>` follows.
_PIECE = re.compile(
    r"""
    (?P<newline>\r?\n)
  | (?P<space>(?:[ \t\f\v]|\r(?!\n))+)
  | (?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
  | (?P<raw>(?:u8|[uUL])?R"(?P<fence>[^ ()\\\t\v\f\r\n]{0,16})\()
  | (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\[^\n])*")
  | (?P<character>(?:u8|[uUL])?'(?:[^'\\\n]|\\[^\n])*')
  | (?P<unended>["'][^\n]*)
  | (?P<number>\.?[0-9](?:'[0-9A-Za-z_]|[eEpP][+-]|[0-9A-Za-z_.])*)
  | (?P<word>[A-Za-z_$\u0080-\U0010ffff][0-9A-Za-z_$\u0080-\U0010ffff]*)
  | (?P<mark><<<|<<=|<=>|\.\.\.|->\*|%:%:
      |<<|<=|<%|<:(?!:(?![:>]))|->|>=|::|:>|\+\+|--|&&|\|\||==|!=|\+=|-=|\*=|/=|%=|&=|\|=|\^=
      |%>|%:|\#\#|\.\*
      |.)
    """,
    re.VERBOSE | re.DOTALL,
)
_DIGRAPHS = {"<%": "{", "%>": "}", "<:": "[", ":>": "]", "%:": "#", "%:%:": "##"}
_KINDS = {
    "newline": Kind.SPACE,
    "space": Kind.SPACE,
    "splice": Kind.SPACE,
    "comment": Kind.COMMENT,
    "raw": Kind.STRING,
    "string": Kind.STRING,
    "character": Kind.CHARACTER,
    "unended": Kind.MARK,
    "number": Kind.NUMBER,
    "word": Kind.WORD,
    "mark": Kind.MARK,
}


def tokenize(source: str) -> list[Token]:
    """Split a source into tokens; ``"".join(token.text)`` is the source again.

    An unclosed quote is a mark that extends to the end of its line, as for compilers: prose after
    ``#error`` and in ``#if 0`` may contain one, and elsewhere the compiler reports it.
    """
    tokens: list[Token] = []
    line, column = 1, 1
    directives = _Directives()
    for name, text, spelling in _pieces(source):
        kind = _KINDS[name]
        directive = directives.enter(name, spelling)
        tokens.append(
            Token(
                index=len(tokens),
                kind=kind,
                text=text,
                spelling=spelling,
                line=line,
                column=column,
                directive=directive,
            )
        )
        breaks = count_breaks(text)
        line += breaks
        column = column + len(text) if not breaks else len(text) - text.rfind("\n")
    return tokens


def count_breaks(text: str) -> int:
    """Return the number of line ends in a text; like compilers, ignore a lone carriage return."""
    return text.count("\n")


class _Directives:
    """Counter of the preprocessor lines."""

    def __init__(self) -> None:
        self._seen = 0
        self._inside = False
        self._at_line_start = True

    def enter(self, name: str, spelling: str) -> int:
        """Return the directive that this piece belongs to; the line end belongs to none."""
        if name == "newline":
            self._inside = False
            self._at_line_start = True
            return 0
        if spelling in ("#", "%:") and self._at_line_start:
            self._seen += 1
            self._inside = True
        if name not in ("space", "splice", "comment"):
            self._at_line_start = False
        return self._seen if self._inside else 0


def _pieces(source: str) -> Iterator[tuple[str, str, str]]:
    """Yield (group of the pattern, text in the source, spelling)."""
    joined, cuts, removed = _join_lines(source)

    def origin(position: int) -> int:
        return position + removed[bisect_right(cuts, position)]

    position = 0
    at = 0
    while position < len(joined):
        while splice := _SPLICE.match(source, at):
            yield "splice", splice.group(), ""
            at = splice.end()
        match = _PIECE.match(joined, position)
        assert match is not None, "the pattern ends in a dot that matches anything"
        name = match.lastgroup or "mark"
        if name == "fence" or match.group("raw"):
            name = "raw"
            # Line splices do not apply in a raw string, so read it from the source.
            stop = _raw_end(source, origin(match.end() - 1) + 1, match.group("fence"))
            position = _position_of(stop, cuts, removed)
            text = source[at:stop]
            yield name, text, text
            at = stop
            continue
        position = match.end()
        stop = origin(position - 1) + 1
        spelling = match.group()
        yield name, source[at:stop], _DIGRAPHS.get(spelling, spelling)
        at = stop
    if at < len(source):
        yield "splice", source[at:], ""


def _join_lines(source: str) -> tuple[str, list[int], list[int]]:
    """Remove splices; return the text, and the positions and cumulative lengths of the splices."""
    cuts: list[int] = []
    removed = [0]
    parts: list[str] = []
    last = 0
    for match in _SPLICE.finditer(source):
        parts.append(source[last : match.start()])
        cuts.append(match.start() - removed[-1])
        removed.append(removed[-1] + len(match.group()))
        last = match.end()
    parts.append(source[last:])
    return "".join(parts), cuts, removed


def _position_of(offset: int, cuts: list[int], removed: list[int]) -> int:
    """Return the position in the joined text that corresponds to an offset in the source."""
    low = 0
    for cut, gone in zip(cuts, removed[1:], strict=True):
        if cut + gone > offset:
            break
        low = gone
    return offset - low


def _raw_end(source: str, start: int, fence: str) -> int:
    end = source.find(f'){fence}"', start)
    return len(source) if end < 0 else end + len(fence) + 2
