"""Output of the smallest failing case: inputs, expected result and actual result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
from rich.text import Text

from torchstone.cli.figures import describe, format_ratio, group_name, matrix, shown_width
from torchstone.cli.layout import LABEL_WIDTH, hanging, labelled, paragraph, span, two_sided
from torchstone.cli.palette import SECONDARY
from torchstone.cli.screen import MAX_COLUMNS, Screen
from torchstone.judge.messages import TensorPreview

if TYPE_CHECKING:
    from torchstone.judge.messages import Preview, Smallest, SmallestRow

MATRIX_GAP = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """The common widths of a figure: those of a label and of a number."""

    label: int
    number: int


def draw_smallest(screen: Screen, smallest: Smallest) -> Iterator[Text]:
    """Draw the smallest failing case: the inputs, then the expected and the actual result."""
    inputs = [each.preview for each in smallest.inputs]
    tensors = [each for each in inputs if isinstance(each, TensorPreview)]
    note = screen.say("smallest.case", group=group_name(smallest.group, screen.lang))
    if tensors:
        note += f"  {describe(tensors[0])}"
    yield from two_sided(span(screen.say("smallest.title")), note, screen.columns)
    yield Text()
    rows = [row for row in smallest.rows if row.expected or row.raised]
    shown = [*inputs, *(side for row in rows for side in (row.expected, row.actual))]
    width = shown_width([each for each in shown if isinstance(each, TensorPreview)])
    names = [each.name for each in smallest.inputs]
    form = Form(label=max([LABEL_WIDTH, *(len(name) + 2 for name in names)]), number=width)
    for each in smallest.inputs:
        yield from _block(screen, each.name, each.preview, form)
    for row in rows:
        yield from _row(screen, row, form, with_name=len(rows) > 1 or row.name != "out")


def _row(screen: Screen, row: SmallestRow, form: Form, *, with_name: bool) -> Iterator[Text]:
    if row.raised:
        # The expected value adds nothing to an exception.
        label, words = screen.say("smallest.actual"), str(row.raised)
        yield from hanging(label, form.label, words, screen.columns, margin=4)
        return
    if with_name:
        yield Text()
        note = "" if row.ratio is None else format_ratio(float(row.ratio))
        name = span((str(row.name), SECONDARY))
        yield from two_sided(name, note, screen.columns, margin=4)
    if row.detail:
        yield from paragraph(row.detail.said_in(screen.lang), screen.columns, margin=4)
    pair = _side_by_side(screen, row, form)
    if pair:
        yield from pair if with_name else (Text(), *pair)
    else:
        yield from _one_below_the_other(screen, row, form)
    worst = row.worst
    if worst is not None and worst.ulp != "inf":
        place = ", ".join(map(str, worst.index))
        numbers = {"ulp": f"{worst.ulp:.3g}", "relative": f"{float(worst.relative):.1g}"}
        words = screen.say("smallest.worst", index=place, **numbers)
        yield from paragraph(words, screen.columns, style=SECONDARY, margin=4)


def _one_below_the_other(screen: Screen, row: SmallestRow, form: Form) -> Iterator[Text]:
    if row.expected:
        label = screen.say("smallest.expected")
        yield from _block(screen, label, row.expected, form, bare=True)
    if row.actual:
        yield from _block(screen, screen.say("smallest.actual"), row.actual, form)


def _side_by_side(screen: Screen, row: SmallestRow, form: Form) -> list[Text]:
    """Draw two tensors of several rows next to each other; nothing if they do not fit."""
    sides = [
        side
        for side in (row.expected, row.actual)
        if isinstance(side, TensorPreview) and not side.window
    ]
    if len(sides) < 2:
        return []
    left, right = (matrix(side, max_columns=MAX_COLUMNS) for side in sides)
    length = max((len(cells) for cells in (*left.rows, *right.rows)), default=0)
    block = max(length * form.number, form.label)
    is_narrow = 4 + block + MATRIX_GAP + block <= screen.columns
    if len(left.rows) < 2 or len(left.rows) != len(right.rows) or left.is_cut or not is_narrow:
        return []
    bare = matrix(_without_marks(sides[0]), max_columns=MAX_COLUMNS)
    names = (screen.say("smallest.expected"), screen.say("smallest.actual"))
    head = Text("    ") + labelled(names[0], block + MATRIX_GAP, names[1], SECONDARY)
    lines = [head]
    for expected, came in zip(bare.lines(form.number), right.lines(form.number), strict=True):
        spare = " " * (block + MATRIX_GAP - expected.cell_len)
        line = Text("    ") + expected + Text(spare) + came
        line.rstrip()
        lines.append(line)
    return lines


def _block(
    screen: Screen, label: str, preview: Preview, form: Form, *, bare: bool = False
) -> Iterator[Text]:
    """Draw a tensor after its label; ``bare`` leaves the marks to the line below it."""
    if not isinstance(preview, TensorPreview):
        yield from hanging(label, form.label, describe(preview), screen.columns, margin=4)
        return
    room = max(1, (screen.columns - 4 - form.label) // form.number)
    drawn = matrix(_without_marks(preview) if bare else preview, max_columns=room)
    lines = drawn.lines(form.number) or [Text(describe(preview))]
    for number, line in enumerate(lines):
        row = Text("    ") + labelled(label if number == 0 else "", form.label, line)
        row.rstrip()
        yield row
    if drawn.is_cut or preview.window:
        note = screen.say("smallest.cut", what=describe(preview))
        yield from paragraph(note, screen.columns, style=SECONDARY, margin=4 + form.label)


def _without_marks(preview: TensorPreview) -> TensorPreview:
    return msgspec.structs.replace(preview, marks=())
