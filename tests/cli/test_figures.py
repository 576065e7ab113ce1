from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reports import make_case, make_report, make_tensor
from torchstone.cli.figures import (
    describe,
    draw_strip,
    format_ratio,
    group_name,
    matrix,
    shown_width,
    strip_cells,
)
from torchstone.judge.messages import CaseResult, TensorPreview, ValuePreview

pytestmark = pytest.mark.pure


def case(group: str, code: str = "AC", ratio: float | str | None = 0.5) -> CaseResult:
    return make_case(group=group, code=code, ratio=ratio)


def tensor(values: list[Any], shape: list[int], marks: tuple[int, ...] = ()) -> TensorPreview:
    return make_tensor(values, shape, marks)


@given(st.floats(min_value=0, allow_nan=False))
def test_a_ratio_fits_its_column(ratio: float) -> None:
    assert len(format_ratio(ratio)) <= 7


@pytest.mark.parametrize(
    ("ratio", "words"),
    [(0, "0"), (0.001, "<0.01×"), (0.5, "0.50×"), (1.4e5, "1e5×"), (float("inf"), "inf")],
)
def test_a_ratio_is_written_by_its_size(ratio: float, words: str) -> None:
    assert format_ratio(ratio) == words


def test_the_strip_marks_what_failed_and_what_was_not_reached() -> None:
    cases = [case("sample"), case("small"), case("small", "WA", "inf")]
    report = make_report(cases=tuple(cases), group="small")
    cells = strip_cells(report, [("sample", 1), ("small", 3), ("large", 2)], "en")
    assert [cell.marks.plain for cell in cells] == ["✓", "✓✗·", "··"]
    assert [cell.worst.plain for cell in cells] == ["0.50×", "inf", ""]


def test_the_case_in_which_the_process_ended_is_marked() -> None:
    report = make_report(cases=(case("sample"),), group="small")
    (_, small) = strip_cells(report, [("sample", 1), ("small", 3)], "en")
    assert small.marks.plain == "✗··"


def test_many_cases_are_counted() -> None:
    cases = [case("small")] * 13 + [case("small", "WA")]
    (cell,) = strip_cells(make_report(cases=tuple(cases), group="small"), [("small", 14)], "en")
    assert cell.marks.plain == "✓13 ✗1"


@pytest.mark.parametrize(("columns", "rows"), [(78, 2), (22, 3)])
def test_the_strip_has_two_columns_where_there_is_room(columns: int, rows: int) -> None:
    report = make_report(cases=())
    cells = strip_cells(report, [("sample", 4), ("edge", 4), ("大", 4)], "zh")
    assert len(list(draw_strip(cells, columns))) == rows


def test_a_group_without_a_name_keeps_its_own() -> None:
    assert group_name("scale", "zh") == "尺度"
    assert group_name("unheard_of", "zh") == "unheard_of"


def test_numbers_stand_in_rows_and_keep_their_marks_without_colour() -> None:
    preview = tensor([1.0, "nan", -2.5, 0.0], [2, 2], (1,))
    drawn = matrix(preview, max_columns=4)
    lines = [line.plain for line in drawn.lines(shown_width([preview]))]
    assert lines == ["   1.0000       nan✗", "  -2.5000    0.0000 "]
    assert not drawn.is_cut


def test_small_and_large_numbers_are_written_with_an_exponent() -> None:
    drawn = matrix(tensor([1e-7, 1.0, 0.0], [3]), max_columns=9)
    assert [cell.plain for cell in drawn.rows[0]] == ["1.000e-07 ", "1.000e+00 ", "0.0000 "]


def test_what_does_not_fit_is_cut() -> None:
    assert matrix(tensor([1.0] * 6, [1, 6]), max_columns=4).is_cut
    assert matrix(tensor([1.0] * 9, [9, 1]), max_columns=4).is_cut
    assert matrix(tensor([], [0, 3]), max_columns=4).rows == ()


def test_a_tensor_is_described_by_dtype_and_shape() -> None:
    assert describe(tensor([1.0], [1])) == "float32 (1,)"
    assert describe(ValuePreview(text="-1")) == "-1"
