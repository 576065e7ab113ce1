"""Markdown outline: headings, code cells and images of a text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# CommonMark: up to three spaces, then three or more backticks or tildes.
_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})(?P<info>.*)")
_HEADING = re.compile(r" {0,3}(?P<marks>#{1,6})(?:[ \t]+(?P<title>.*?))?(?:[ \t]+#+)?[ \t]*")
_PICTURE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A fenced block of code.

    Args:
        info: The words after the opening fence, e.g. ``python``.
        source: The text between the fences.
        line: The line of the opening fence, counted from 1.
        is_closed: Whether a closing fence follows; otherwise the rest of the text is code.
    """

    info: str
    source: str
    line: int
    is_closed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading and its depth, from 1."""

    level: int
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """The parts of a text that two languages must share."""

    headings: tuple[Heading, ...]
    cells: tuple[Cell, ...]
    pictures: tuple[str, ...]
    prose: str


def outline(markdown: str) -> Outline:
    """Split a text into headings, code cells, images and the prose around the cells."""
    cells: list[Cell] = []
    headings: list[Heading] = []
    prose: list[str] = []
    lines = markdown.splitlines()
    index = 0
    while index < len(lines):
        line = lines[index]
        if (fence := _FENCE.fullmatch(line)) and _opens(fence):
            cell, index = _read_cell(lines, index, fence)
            cells.append(cell)
            continue
        if heading := _HEADING.fullmatch(line):
            level, title = len(heading["marks"]), heading["title"] or ""
            headings.append(Heading(level=level, title=title))
        prose.append(line)
        index += 1
    text = "\n".join(prose)
    return Outline(
        headings=tuple(headings),
        cells=tuple(cells),
        pictures=tuple(_PICTURE.findall(text)),
        prose=text,
    )


def python_cells(markdown: str) -> tuple[Cell, ...]:
    """Return the ``python`` cells of a text, in order; they run in one namespace."""
    return tuple(cell for cell in outline(markdown).cells if cell.info.split()[:1] == ["python"])


def split_text(markdown: str) -> Iterator[str | Heading | Cell]:
    """Cut a text at its headings and at its ``python`` cells; other fences stay in their text."""
    lines = markdown.splitlines()
    begin = index = 0
    while index < len(lines):
        part, after = _part_at(lines, index)
        if part is not None:
            yield from _some("\n".join(lines[begin:index]))
            yield part
            begin = after
        index = after
    yield from _some("\n".join(lines[begin:]))


def _part_at(lines: list[str], index: int) -> tuple[Heading | Cell | None, int]:
    """Return the heading or ``python`` cell that begins at a line, and the line after it."""
    if (fence := _FENCE.fullmatch(lines[index])) and _opens(fence):
        cell, after = _read_cell(lines, index, fence)
        return (cell if cell.info.split()[:1] == ["python"] else None), after
    if heading := _HEADING.fullmatch(lines[index]):
        return Heading(level=len(heading["marks"]), title=heading["title"] or ""), index + 1
    return None, index + 1


def _some(text: str) -> Iterator[str]:
    if text.strip():
        yield text


def _opens(fence: re.Match[str]) -> bool:
    # ```like this``` on one line is inline code: a fence of backticks has no backtick after it.
    return not (fence["mark"].startswith("`") and "`" in fence["info"])


def _read_cell(lines: list[str], start: int, fence: re.Match[str]) -> tuple[Cell, int]:
    mark = fence["mark"]
    for index in range(start + 1, len(lines)):
        closing = lines[index].strip()
        is_fence = len(closing) >= len(mark) and set(closing) == {mark[0]}
        if is_fence and len(lines[index]) - len(lines[index].lstrip(" ")) <= 3:
            return _cell(lines, start, index, fence, is_closed=True), index + 1
    return _cell(lines, start, len(lines), fence, is_closed=False), len(lines)


def _cell(
    lines: list[str], start: int, stop: int, fence: re.Match[str], *, is_closed: bool
) -> Cell:
    source = "".join(line + "\n" for line in lines[start + 1 : stop])
    return Cell(info=fence["info"].strip(), source=source, line=start + 1, is_closed=is_closed)
