"""The timeline as a drawing: a name for each lane, spans in their place, evidence above."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from tests.doctor.charts.seen import view_of
from torchstone.core.i18n import Lang
from torchstone.doctor.charts.timeline import name_of, timeline_of

pytestmark = pytest.mark.pure
SVG = "{http://www.w3.org/2000/svg}"


def drawn(patient: str, lang: Lang = "en", finding: int | None = 0) -> ElementTree.Element:
    view = view_of(patient)
    begin, end = view.evidence[0].focus
    drawing = timeline_of(view, begin, end, 1200, lang, finding=finding)
    return ElementTree.fromstring(drawing.svg("timeline"))


def test_the_wait_for_the_loader_is_drawn_where_it_is() -> None:
    view = view_of("loader")
    begin, end = view.evidence[0].focus
    waits = [
        each
        for each in drawn("loader").iter(f"{SVG}rect")
        if each.get("class") == "c-loader" and each.get("height") == "47"
    ]
    assert waits
    shares = sum(float(each.get("width", "0")) for each in waits) / (1200 - 116)
    gaps = view.evidence[0].device.clipped(begin, end).length / (end - begin)
    assert shares == pytest.approx(gaps, abs=0.02)


def test_the_evidence_is_marked_only_if_one_is_chosen() -> None:
    marks = [each for each in drawn("loader").iter(f"{SVG}rect") if each.get("class") == "ink"]
    assert len(marks) >= 2
    without = drawn("loader", finding=None).iter(f"{SVG}rect")
    assert not [each for each in without if each.get("class") == "ink"]


@pytest.mark.parametrize(("lang", "words"), [("en", "main thread"), ("zh", "主线程")])
def test_lanes_have_names_in_both_languages(lang: Lang, words: str) -> None:
    said = [each.text for each in drawn("loader", lang).iter(f"{SVG}text")]
    assert words in said
    view = view_of("loader")
    names = {name_of(view, each, lang) for each in view.tracks}
    assert len(names) == 4


def test_moments_are_told_apart() -> None:
    said = [each.text or "" for each in drawn("launch").iter(f"{SVG}text")]
    moments = [each for each in said if each.endswith(" ms") or each.endswith(" µs")]
    assert len(moments) == len(set(moments)) > 2
