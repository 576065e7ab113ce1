"""Drawings: well-formed SVG whatever the words are, and words that fit."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.doctor.charts.account import CLASSES
from torchstone.doctor.charts.drawing import Drawing, escape, fitting, style_sheet, width_of

pytestmark = pytest.mark.pure


@given(st.text())
def test_any_words_make_well_formed_svg(words: str) -> None:
    drawing = Drawing(100, 20)
    drawing.rect(0, 0, 10, 10, "c-compute", title=words)
    drawing.words(0, 10, words)
    drawing.spot(5, 5, 2, "spot", title=words)
    ElementTree.fromstring(drawing.svg(words, style=style_sheet()))


def test_markup_in_words_is_text() -> None:
    assert escape('<script>"&') == "&lt;script&gt;&quot;&amp;"
    assert escape("a\x00b\x1b[31m") == "ab[31m"


@given(st.text(min_size=1), st.floats(0, 500))
def test_words_are_cut_to_their_room(words: str, room: float) -> None:
    for keeps_end in (False, True):
        found = fitting(words, room, keeps_end=keeps_end)
        assert width_of(found) <= room or found == ""


def test_a_cut_name_keeps_its_begin_or_its_end() -> None:
    name = "torch/utils/data/dataloader.py(628): __next__"
    assert fitting(name, 100).startswith("torch/")
    assert fitting(name, 100, keeps_end=True).endswith("__next__")
    assert fitting(name, 10) == ""


def test_every_class_has_a_colour_as_an_account_and_as_an_event() -> None:
    sheet = style_sheet()
    for name in CLASSES:
        assert f".c-{name}{{" in sheet
        assert f".e-{name}{{" in sheet


def test_a_drawing_that_is_placed_makes_room_below() -> None:
    inner = Drawing(50, 30)
    inner.words(0, 10, "inner")
    outer = Drawing(100)
    outer.place(inner, 200)
    assert outer.height == 230
    assert "translate(0 200)" in outer.svg("outer")
