"""The accounting as a bar: widths are shares, and small ones are left out."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from tests.doctor.charts.seen import view_of
from torchstone.core.i18n import Lang
from torchstone.doctor.charts.bar import bar_of

pytestmark = pytest.mark.pure
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("lang", "words"), [("en", "waits for the loader 59%"), ("zh", "等数据加载 59%")]
)
def test_each_share_is_as_wide_as_it_is_large(lang: Lang, words: str) -> None:
    shares = view_of("loader").case.accounting.shares
    drawing = bar_of(shares, 1000, lang)
    root = ElementTree.fromstring(drawing.svg("bar"))
    bars = [each for each in root.iter(f"{SVG}rect") if each.get("height") == "32"]
    widths = {each.get("class"): float(each.get("width", "0")) for each in bars}
    assert widths["c-loader"] == pytest.approx(1000 * shares["idle.loader"] - 1, abs=0.1)
    assert widths["c-compute"] == pytest.approx(1000 * shares["compute"] - 1, abs=0.1)
    assert "c-alloc" not in widths
    said = [each.text for each in root.iter(f"{SVG}text")]
    assert said.count(words) == 2
