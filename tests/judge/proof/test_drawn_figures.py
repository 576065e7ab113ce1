"""Figures that the cells of an editorial draw."""

from pathlib import Path

import pytest

from torchstone.judge.proof.drawn_figures import comparison_cell, draw_figures, drawn_names

SQUARE = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h1v1H0z"/></svg>\n'
CELLS = ["side = 1\n", f"figure_square = {SQUARE!r}.replace('1', str(side))\n"]


def run(cells: list[str]) -> None:
    scope: dict[str, object] = {}
    for cell in cells:
        exec(cell, scope)


def test_a_name_that_begins_with_figure_is_drawn() -> None:
    later = ["if True:\n    figure_inner = ''\nfigure = ''\nfigure_square = ''\nfigure_b2 = ''\n"]
    assert drawn_names(CELLS + later) == ("figure_square", "figure_b2")


def test_cells_that_draw_nothing_need_no_comparison(tmp_path: Path) -> None:
    assert comparison_cell(["x = 1\n"], tmp_path) == ""
    assert draw_figures(["x = 1\n"]) == {}


def test_a_file_is_what_its_cell_draws(tmp_path: Path) -> None:
    (drawn,) = draw_figures(CELLS).items()
    assert drawn == ("figure_square.svg", SQUARE)
    (tmp_path / drawn[0]).write_text(drawn[1], encoding="utf-8")
    run([*CELLS, comparison_cell(CELLS, tmp_path)])


@pytest.mark.parametrize("on_disk", [None, "", SQUARE.replace("h1", "h2")])
def test_a_file_that_differs_or_is_missing_is_named(tmp_path: Path, on_disk: str | None) -> None:
    if on_disk is not None:
        (tmp_path / "figure_square.svg").write_text(on_disk, encoding="utf-8")
    with pytest.raises(AssertionError, match=r"figure_square\.svg is not what the cells draw"):
        run([*CELLS, comparison_cell(CELLS, tmp_path)])
