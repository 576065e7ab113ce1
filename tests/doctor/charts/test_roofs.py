"""The roofline as a drawing: operators below their roofs, nothing where nothing is known."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from tests.doctor.charts.seen import view_of
from tests.doctor.made import Made
from torchstone.doctor.charts.roofs import roofs_of

pytestmark = pytest.mark.pure
SVG = "{http://www.w3.org/2000/svg}"


def test_a_product_near_its_peak_is_just_below_its_roof() -> None:
    view = view_of("loader")
    drawing = roofs_of(view.case.roofline, 1000, evidence=[0])
    assert drawing is not None
    root = ElementTree.fromstring(drawing.svg("roofline"))
    product, *_ = root.iter(f"{SVG}circle")
    assert product.get("class") == "spot of"
    title = product.find(f"{SVG}title")
    assert title is not None
    assert "aten::mm [4096, 4096] [4096, 4096] bfloat16" in (title.text or "")
    # Its roof is the highest: the last point of its line says where.
    roofs = [each.get("d", "") for each in root.iter(f"{SVG}path") if each.get("class") == "line"]
    tops = [float(roof.split("L")[-1].split(" ")[1]) for roof in roofs]
    assert len(tops) == 2
    assert min(tops) <= float(product.get("cy", "0")) <= min(tops) + 8


def test_the_longest_operator_has_the_largest_disc() -> None:
    view = view_of("loader")
    drawing = roofs_of(view.case.roofline, 1000, evidence=[])
    assert drawing is not None
    spots = list(ElementTree.fromstring(drawing.svg("roofline")).iter(f"{SVG}circle"))
    radii = [float(each.get("r", "0")) for each in spots]
    assert radii == sorted(radii, reverse=True)
    assert all(each.get("class") == "spot" for each in spots)


def test_without_known_work_nothing_is_drawn() -> None:
    case = Made().kernel("mystery", 100, 200, 900).case()
    assert roofs_of(case.roofline, 1000, evidence=[]) is None
