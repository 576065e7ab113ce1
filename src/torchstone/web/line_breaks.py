"""Line breaks in code and formulas of the bank's texts, which are shown in a narrow column.

A statement is read beside the editor: at a window of 1366 pixels its column has room for 64
characters. Longer lines are broken at their parentheses, as formatters do; comments move below
their line and are wrapped. Broken Python has the same syntax tree. Strings stay whole. A formula
that consists of several ones, with a wide space between them, is given in these parts.
"""

import re
from collections.abc import Iterator, Sequence

COLUMNS = 60
INDENT = "    "
_BRACKETS = "()[]{}"
_COMMENT = {"python": "#", "cpp": "//", "text": ""}
_ALIASES = {"c++": "cpp", "cuda": "cpp", "cu": "cpp", "py": "python", "": "text"}
# One that is not closed ends with its line.
_STRING = re.compile(r'"(?:\\.|[^"\\])*"?|\'(?:\\.|[^\'\\])*\'?')
_DEFINITION = re.compile(r"\s*(async def|def|class)\b")
# Other plain text has no syntax that tells where it can be broken.
_SIGNATURE = re.compile(r"\S+\(.*\) -> \S+")
_WIDE_SPACE = re.compile(r"\\\\|\\[{}]|[{}]|\\(?:begin|end|left|right|q?quad)(?![a-zA-Z])")
_OPENING, _CLOSING = ("{", r"\begin", r"\left"), ("}", r"\end", r"\right")
# A comment that is a table has wide gaps.
_GAP = re.compile(r"(?<=\S) {3,}(?=\S)")
# Longer brackets in a comment are broken, too.
_WHOLE = 44


def break_lines(source: str, language: str) -> str:
    """Break the lines of source code that are longer than a column of a statement.

    >>> line = "def expand(x: Tensor, shape: Sequence[int], dim=0) -> Tensor: ..."
    >>> print(break_lines(line, "py"))
    def expand(
        x: Tensor, shape: Sequence[int], dim=0
    ) -> Tensor: ...
    """
    name = _ALIASES.get(language.lower(), language.lower())
    if name not in _COMMENT or '"""' in source or "'''" in source or "/*" in source:
        return source
    broken: list[str] = []
    for lines in _statements(source.split("\n"), _COMMENT[name]):
        if all(len(line) <= COLUMNS for line in lines):
            broken += lines
        elif name != "text" or _SIGNATURE.fullmatch(lines[0]):
            broken += _break(_join(lines), _COMMENT[name])
        else:
            broken += lines
    return "\n".join(broken)


def split_formula(tex: str) -> list[str]:
    r"""Split a formula at its wide spaces, unless they are inside braces or an environment.

    >>> split_formula(r"a = 1, \qquad b = \text{if \quad c}")
    ['a = 1,', 'b = \\text{if \\quad c}']
    """
    parts, depth, begin = [], 0, 0
    for found in _WIDE_SPACE.finditer(tex):
        depth += (found[0] in _OPENING) - (found[0] in _CLOSING)
        if depth == 0 and found[0].endswith("quad"):
            parts.append(tex[begin : found.start()].strip())
            begin = found.end()
    return [part for part in (*parts, tex[begin:].strip()) if part]


def _statements(lines: Sequence[str], comment: str) -> Iterator[list[str]]:
    """Group the lines of each statement; one with comments inside is not joined."""
    start = 0
    while start < len(lines):
        end, depth = start, 0
        while end < len(lines):
            code, remark = _split_comment(lines[end], comment)
            # Braces of C++ hold statements, which stay on lines of their own.
            depth += _depth(code, "()[]" if comment == "//" else _BRACKETS)
            end += 1
            if depth <= 0 or remark:
                break
        is_whole = depth == 0 and not any(_split_comment(x, comment)[1] for x in lines[start:end])
        end = end if is_whole else start + 1
        yield list(lines[start:end])
        start = end


def _join(lines: Sequence[str]) -> str:
    joined = lines[0].rstrip()
    for line in map(str.strip, lines[1:]):
        is_edge = joined.endswith(("(", "[", "{")) or line.startswith((")", "]", "}"))
        joined += line if is_edge else f" {line}"
    return joined


def _break(line: str, comment: str) -> list[str]:
    code, remark = _split_comment(line, comment)
    indent = line[: len(line) - len(line.lstrip())]
    broken = _break_code(code.rstrip(), indent) if code.strip() else []
    return broken + _wrap(remark, indent, comment)


def _break_code(code: str, indent: str) -> list[str]:
    """Break one statement, or one element of a list, at its longest pair of brackets."""
    pair = _longest_pair(code)
    if len(code) <= COLUMNS or pair is None:
        return [code]
    begin, end = pair
    body, inner = code[begin + 1 : end].strip(), indent + INDENT
    elements = _elements(body)
    is_definition = _DEFINITION.match(code) is not None
    lines = [inner + body]
    if len(lines[0]) > COLUMNS:
        is_long = any(len(inner + each) >= COLUMNS for each in elements)
        if is_definition or is_long:
            last = "," if is_definition else ""
            ends = [","] * (len(elements) - 1) + [last]
            lines = [
                line
                for each, mark in zip(elements, ends, strict=True)
                for line in _break_code(f"{inner}{each}{mark}", inner)
            ]
        else:
            lines = _fill(elements, inner)
    return [code[: begin + 1], *lines, indent + code[end:]]


def _fill(elements: Sequence[str], indent: str) -> list[str]:
    lines = [indent + elements[0]]
    for element in elements[1:]:
        # One character is the comma after it.
        if len(lines[-1]) + len(element) + 3 <= COLUMNS:
            lines[-1] += f", {element}"
        else:
            lines[-1] += ","
            lines.append(indent + element)
    return lines


def _wrap(remark: str, indent: str, comment: str) -> list[str]:
    if not remark:
        return []
    words = remark.removeprefix(comment)
    start = indent + comment + words[: len(words) - len(words.lstrip())]
    lines = [start]
    # Where a table does not fit, its gaps are closed.
    words = (
        words.strip() if len(start + words.strip()) <= COLUMNS else _GAP.sub("  ", words.strip())
    )
    for word in _words(words):
        if len(lines[-1]) + len(word.rstrip()) > COLUMNS and lines[-1] != start:
            lines.append(start)
        lines[-1] += word
    return [line.rstrip() for line in lines]


def _words(remark: str) -> list[str]:
    """Split a comment at its spaces, but not around an equals sign or in short brackets."""
    words: list[str] = []
    for word in re.findall(r"\S+\s*", remark):
        last = words[-1] if words else ""
        is_inside = _depth(last) > 0 and len(last + word) <= _WHOLE
        if words and (is_inside or word.strip() in ("=", "->") or last.endswith(("= ", "-> "))):
            words[-1] += word
        else:
            words.append(word)
    return words


def _mask(code: str) -> str:
    """Return code of the same length without the characters of its strings."""
    return _STRING.sub(lambda found: "_" * len(found[0]), code)


def _split_comment(line: str, comment: str) -> tuple[str, str]:
    at = _mask(line).find(comment) if comment else -1
    return (line, "") if at < 0 else (line[:at], line[at:])


def _depth(code: str, brackets: str = _BRACKETS) -> int:
    masked = _mask(code)
    return sum(masked.count(each) for each in brackets[::2]) - sum(
        masked.count(each) for each in brackets[1::2]
    )


def _longest_pair(code: str) -> tuple[int, int] | None:
    """Find the longest pair of brackets that is in no other one and holds something."""
    pairs, depth, begin = [(0, 1)], 0, 0
    for at, character in enumerate(_mask(code)):
        if character in "([{":
            begin = at if depth == 0 else begin
            depth += 1
        elif character in ")]}":
            depth -= 1
            pairs += [(begin, at)] if depth == 0 else []
    longest = max(pairs, key=lambda pair: pair[1] - pair[0])
    return longest if depth == 0 and longest[1] - longest[0] > 1 else None


def _elements(body: str) -> list[str]:
    """Split at the commas that are in no bracket; the parameters of a lambda stay together."""
    elements, depth, begin = [], 0, 0
    for at, character in enumerate(masked := _mask(body)):
        depth += (character in "([{") - (character in ")]}")
        is_parameter = re.search(r"\blambda\b[^:]*$", masked[begin:at]) is not None
        if character == "," and depth == 0 and not is_parameter and body[at + 1 :].strip():
            elements.append(body[begin:at].strip())
            begin = at + 1
    return [*elements, body[begin:].strip()]
