"""Patch programs: expand a program that patches another program of the same problem.

::

    // over: solution.cu
    // verdict: WA value
    // group: small
    // en: The first product is left out.
    // zh: 漏掉了第一项乘积。
    @@
         float sum = 0.0f;
    -    for (int k = 0; k < K; ++k) {
    +    for (int k = 1; k < K; ++k) {

A line that begins with ``@@`` begins a hunk; the rest of the line is a comment. The lines of a hunk
are those of a unified diff: a space before an unchanged line, ``-`` before a removed line, ``+``
before an added line. The unchanged and removed lines must occur in the base together, in this
order, exactly once. Hunks follow the order of the base.

The expanded program is the header, without ``over``, followed by the changed base, without the
leading comment lines of the base. A bundle (``core.bundle``) holds whole files instead.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile, takewhile
from pathlib import Path, PurePosixPath

from torchstone.core.bundle import lay_over

_COMMENTS = {".py": "#", ".bundle": "#", ".cu": "//", ".cpp": "//"}
_HUNK = "@@"
_OVER = re.compile(r"(?:#|//) over: *(\S+) *")
_BASE = re.compile(r"(?:solution|good/[A-Za-z0-9_]+)(?P<suffix>\.[a-z]+)")


class BadPatch(ValueError):
    """Raised when a patch does not fit its base; names hunk and line."""


@dataclass(slots=True)
class _Hunk:
    """One hunk of a patch.

    Attributes:
        line: The number of its first line in the patch, from 1.
        old: The lines that the base must have.
        new: The lines that replace them.
    """

    line: int
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)


def read_program(folder: Path, name: str) -> str:
    """Read a program of a problem from disk and expand it if it is a patch.

    Args:
        folder: The folder of the problem.
        name: The path of the file inside the folder, ``wrong/no_shift.py``.

    Raises:
        BadPatch: The patch does not fit its base.
    """
    text = (folder / name).read_text(encoding="utf-8")
    return expand(text, name, lambda base: (folder / base).read_text(encoding="utf-8"))


def expand(text: str, name: str, read: Callable[[str], str]) -> str:
    """Return the whole program: the text itself, or the changed base that its header names.

    Args:
        text: The text of the file.
        name: The path of the file inside the folder of the problem.
        read: Function that returns the text of another program of the problem.

    Raises:
        BadPatch: The base is itself a patch or not a right answer, or the patch does not fit it.
    """
    suffix = PurePosixPath(name).suffix
    comment = _COMMENTS.get(suffix)
    over = _base_of(text, comment) if comment else None
    if comment is None or over is None:
        return text
    match = _BASE.fullmatch(over)
    if match is None or over == name or match["suffix"] != suffix:
        raise BadPatch(
            f"`over` must name the solution or a good answer in the same language; got {over}"
        )
    base = read(over)
    if _base_of(base, comment) is not None:
        raise BadPatch(f"`over` must name a whole program; {over} is written over another")
    if suffix == ".bundle":
        return lay_over(base, text)
    head, hunks = _read_patch(text, comment)
    lines = list(dropwhile(lambda line: line.startswith(comment), base.split("\n")))
    return "\n".join([*head, *_apply(lines, hunks, over)])


def _base_of(text: str, comment: str) -> str | None:
    """Return the base that the header names; None if it names none."""
    head = takewhile(lambda line: line.startswith(comment), text.split("\n"))
    found = [match[1] for line in head if (match := _OVER.fullmatch(line))]
    if len(found) > 1:
        raise BadPatch(f"`over` must be named once; got {', '.join(found)}")
    return found[0] if found else None


def _read_patch(text: str, comment: str) -> tuple[list[str], list[_Hunk]]:
    """Split a patch into its header, without ``over``, and its hunks."""
    head: list[str] = []
    hunks: list[_Hunk] = []
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        if line.startswith(_HUNK):
            hunks.append(_Hunk(number))
        elif not hunks:
            if line.strip() and not line.startswith(comment):
                raise BadPatch(f"line {number}: `@@` must begin the first change; got {line!r}")
            head += [] if _OVER.fullmatch(line) else [line]
        elif line[:1] not in ("", " ", "-", "+"):
            raise BadPatch(f"line {number}: a space, `-` or `+` must begin the line; got {line!r}")
        else:
            # Editors strip the space of an unchanged empty line.
            hunks[-1].old += [line[1:]] if line[:1] != "+" else []
            hunks[-1].new += [line[1:]] if line[:1] != "-" else []
    if not hunks:
        raise BadPatch("a patch must hold a change, begun by a line `@@`; there is none")
    return head, hunks


def _apply(lines: Sequence[str], hunks: Sequence[_Hunk], base: str) -> Iterator[str]:
    """Yield the lines of the changed base."""
    done = 0
    for number, hunk in enumerate(hunks, 1):
        where = f"line {hunk.line}: hunk {number}"
        if not hunk.old:
            raise BadPatch(f"{where} must name a line of {base} that stays or goes")
        if hunk.old == hunk.new:
            raise BadPatch(f"{where} changes nothing")
        size = len(hunk.old)
        places = [at for at in range(len(lines)) if lines[at : at + size] == hunk.old]
        if not places:
            raise BadPatch(f"{where} does not fit {base}: {_first_difference(lines, hunk.old)}")
        if len(places) > 1:
            raise BadPatch(
                f"{where} fits {base} in {len(places)} places; add lines around it that are unique"
            )
        if places[0] < done:
            raise BadPatch(f"{where} must follow the hunk before it in {base}, and not overlap it")
        yield from lines[done : places[0]]
        yield from hunk.new
        done = places[0] + size
    yield from lines[done:]


def _first_difference(lines: Sequence[str], old: Sequence[str]) -> str:
    """Describe the first missing line at the place where most lines of the hunk agree."""
    agree = max(_num_equal(lines[at:], old) for at in range(len(lines)))
    after = f" after {old[agree - 1].strip()!r}" if agree else ""
    return f"it has no line {old[agree]!r}{after}"


def _num_equal(lines: Sequence[str], old: Sequence[str]) -> int:
    """Count the leading lines that are equal."""
    pairs = enumerate(zip(lines, old, strict=False))
    return next((count for count, (left, right) in pairs if left != right), len(lines))
