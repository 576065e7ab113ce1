"""Verdict figures: the strip of cases, and matrices of the smallest failing case."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from torchstone.cli.palette import FAILED, PASSED, PLAIN, SECONDARY, UNREACHED, WRONG
from torchstone.core.i18n import Lang, catalogue
from torchstone.core.verdict import Verdict
from torchstone.judge.messages import Preview, Report, TensorPreview

# A group with more marks shows their number instead.
MAX_MARKS = 12
GAP = 4
MAX_ROWS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCell:
    """One group of the strip: its name, its marks, its largest error over tolerance."""

    name: str
    marks: Text
    worst: Text


def group_name(group: str, lang: Lang) -> str:
    """Return the name of a group in the reader's language; an unknown group keeps its name."""
    return catalogue("cli", lang).get(f"cli.group.{group}", group)


def strip_cells(report: Report, plan: Sequence[tuple[str, int]], lang: Lang) -> list[GroupCell]:
    """Group the cases of a report, in the planned order."""
    return [_cell(report, group, count, lang) for group, count in plan]


def _cell(report: Report, group: str, count: int, lang: Lang) -> GroupCell:
    cases = [case for case in report.cases if case.group == group]
    codes = [PASSED if case.code is Verdict.AC else FAILED for case in cases]
    missing = count - len(codes)
    if missing and group == report.group and FAILED not in codes:
        # The process ended in this case, so the case has no result of its own.
        codes.append(FAILED)
    codes += [UNREACHED] * (count - len(codes))
    ratios = [_as_number(case.ratio) for case in cases if case.ratio is not None]
    worst = max(ratios, default=None)
    return GroupCell(
        name=group_name(group, lang),
        marks=_marks(codes),
        worst=Text(
            "" if worst is None else format_ratio(worst),
            style=WRONG if worst is not None and worst > 1 else SECONDARY,
        ),
    )


def _marks(codes: list[str]) -> Text:
    styles = {PASSED: PLAIN, FAILED: WRONG, UNREACHED: SECONDARY}
    if len(codes) <= MAX_MARKS:
        return Text.assemble(*((code, styles[code]) for code in codes))
    counted = [(code, codes.count(code)) for code in styles if code in codes]
    parts = [Text(f"{code}{number}", style=styles[code]) for code, number in counted]
    return Text(" ").join(parts)


def format_ratio(ratio: float) -> str:
    """Format an error over its tolerance in at most seven columns."""
    if ratio == 0:
        return "0"
    if not math.isfinite(ratio):
        return "inf"
    if ratio < 0.01:
        return "<0.01×"
    if ratio < 100:
        return f"{ratio:.2f}×"
    return f"{ratio:.0f}×" if ratio < 1e5 else f"{ratio:.0e}×".replace("e+0", "e")


def draw_strip(cells: Sequence[GroupCell], columns: int) -> Iterator[Text]:
    """Draw the groups in as many columns as fit, row by row."""
    if not cells:
        return
    widths = [
        max(Text(cell.name).cell_len for cell in cells),
        max(cell.marks.cell_len for cell in cells),
        max(cell.worst.cell_len for cell in cells),
    ]
    cell_width = sum(widths) + 4
    num_columns = max(1, min(2, (columns - 2 + GAP) // (cell_width + GAP)))
    for start in range(0, len(cells), num_columns):
        row = [_draw_cell(cell, widths) for cell in cells[start : start + num_columns]]
        line = Text("  ") + Text(" " * GAP).join(row)
        line.rstrip()
        yield line


def _draw_cell(cell: GroupCell, widths: list[int]) -> Text:
    line = Text()
    for part, width in zip(
        (Text(cell.name, SECONDARY), cell.marks, cell.worst), widths, strict=True
    ):
        line.append_text(part)
        line.append(" " * (width - part.cell_len + 2))
    line.right_crop(2)
    return line


def describe(preview: Preview) -> str:
    """Format dtype and shape of a tensor in one line, or the text of a value."""
    if not isinstance(preview, TensorPreview):
        return preview.text
    shape = ", ".join(map(str, preview.shape))
    return f"{preview.dtype} ({shape}{',' if len(preview.shape) == 1 else ''})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """The shown numbers of a tensor in rows, with marks on those that differ."""

    rows: tuple[tuple[Text, ...], ...]
    is_cut: bool

    def lines(self, width: int) -> list[Text]:
        """Align every number to the right in ``width`` columns."""
        return [Text("").join(_flush(cell, width) for cell in row) for row in self.rows]


def shown_width(previews: Sequence[TensorPreview]) -> int:
    """Return the width of the widest number of some tensors, with a gap before it."""
    words = [word for each in previews for word in _words(each)]
    return max((len(word) for word in words), default=1) + 3


def matrix(preview: TensorPreview, *, max_columns: int) -> Matrix:
    """Format the window of a tensor as rows of its last dimension, as far as they fit."""
    shape = _window_shape(preview)
    length = shape[-1] if shape else 1
    words, marks = _words(preview), set(preview.marks)
    rows = []
    for start in range(0, len(words), max(1, length)):
        stop = start + min(length, max_columns)
        rows.append(tuple(_number(words[i], i in marks) for i in range(start, stop)))
    return Matrix(rows=tuple(rows[:MAX_ROWS]), is_cut=len(rows) > MAX_ROWS or length > max_columns)


def _window_shape(preview: TensorPreview) -> list[int]:
    if preview.window:
        return [stop - start for start, stop in preview.window]
    return list(preview.shape)


def _number(word: str, is_wrong: bool) -> Text:
    # The glyph remains when there is no colour.
    return Text(word + (FAILED if is_wrong else " "), style=WRONG if is_wrong else PLAIN)


def _flush(cell: Text, width: int) -> Text:
    return Text(" " * (width - cell.cell_len)) + cell


def _words(preview: TensorPreview) -> list[str]:
    """Format all numbers of a tensor alike, so that they can be compared."""
    values = preview.values
    sizes = [abs(v) for v in values if isinstance(v, float) and v != 0 and math.isfinite(v)]
    is_plain = not sizes or (min(sizes) >= 1e-3 and max(sizes) < 1e6)
    return [_word(value, is_plain) for value in values]


def _word(value: float | str, is_plain: bool) -> str:
    if isinstance(value, float):
        return f"{value:.4f}" if is_plain or value == 0 else f"{value:.3e}"
    return str(value)


def _as_number(ratio: float | str) -> float:
    return float(ratio)
