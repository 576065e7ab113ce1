"""The flame graph as a drawing: boxes below their callers, as wide as they are long."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest

from tests.doctor.charts.seen import view_of
from torchstone.doctor.charts.flames import flames_of

pytestmark = pytest.mark.pure
SVG = "{http://www.w3.org/2000/svg}"


def test_boxes_are_as_wide_as_their_time_and_marked_where_the_evidence_is() -> None:
    view = view_of("loader")
    window = view.case.window
    flame = view.flame(0, window.begin, window.end, 0)
    root = ElementTree.fromstring(flames_of(flame, 1000).svg("flame"))
    rects = list(root.iter(f"{SVG}rect"))
    marks = [each for each in rects if each.get("class") == "ink"]
    boxes = [each for each in rects if each.get("class") != "ink"]
    titles = [each.findtext(f"{SVG}title") or "" for each in boxes]
    loading = next(at for at, title in enumerate(titles) if "__getitem__" in title)
    node = next(each for each in flame.nodes if "__getitem__" in each.name)
    width = float(boxes[loading].get("width", "0"))
    assert width == pytest.approx(1000 * node.time / flame.time, abs=1.5)
    assert node.evidence == pytest.approx(node.time)
    assert any(
        float(each.get("width", "0")) == pytest.approx(width, abs=1.5)
        and float(each.get("y", "0")) - float(boxes[loading].get("y", "0")) == 15
        for each in marks
    )


def test_no_two_boxes_of_a_row_overlap() -> None:
    view = view_of("launch")
    window = view.case.window
    flame = view.flame(0, window.begin, window.end, None)
    rows: dict[str, list[tuple[float, float]]] = {}
    for each in ElementTree.fromstring(flames_of(flame, 1000).svg("flame")).iter(f"{SVG}rect"):
        x, width = float(each.get("x", "0")), float(each.get("width", "0"))
        rows.setdefault(each.get("y", ""), []).append((x, x + width))
    assert len(rows) > 2
    for spans in rows.values():
        spans.sort()
        for (_, end), (begin, _) in pairwise(spans):
            assert end <= begin + 0.02
