"""The diagnosis as a file: the same bytes each time, nothing from elsewhere, both languages."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.doctor.charts.seen import view_of
from tests.doctor.simulated import simulated
from torchstone.core.i18n import Lang
from torchstone.doctor.charts.document import drawn, page, write_chart
from torchstone.doctor.charts.view import View
from torchstone.doctor.refusal import Refusal

pytestmark = pytest.mark.pure
PATIENTS = ("loader", "launch", "communication", "healthy", "unexplained")


@pytest.mark.parametrize("patient", PATIENTS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_drawing_is_well_formed_and_begins_with_the_verdict(patient: str, lang: Lang) -> None:
    view = view_of(patient)
    text = drawn(view, lang)
    root = ElementTree.fromstring(text)
    said = "".join(each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text"))
    manager = view.report(lang)["summary"]["manager"]
    assert said.replace(" ", "").startswith(manager.replace(" ", ""))


@pytest.mark.parametrize("patient", PATIENTS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_page_has_every_finding_and_names_no_other_machine(patient: str, lang: Lang) -> None:
    view = view_of(patient)
    text = page(view, lang)
    for finding in view.report(lang)["findings"]:
        assert finding["code"] in text
        assert finding["title"] in text
    assert not re.search(r'(?:src|href)="', text)
    assert set(re.findall(r"https?://[^\"]+", text)) == {"http://www.w3.org/2000/svg"}
    assert f'<html lang="{"zh-CN" if lang == "zh" else "en"}">' in text


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    path = simulated(tmp_path, "loader")
    for draw in (drawn, page):
        assert draw(View([path]), "en") == draw(View([path]), "en")


def test_what_a_trace_says_is_text_and_no_markup(tmp_path: Path) -> None:
    path = simulated(tmp_path, "loader")
    path.write_text(path.read_text().replace("dataset.py", "<script>alert(1)</script>.py"))
    view = View([path])
    assert "<script" not in page(view, "en")
    ElementTree.fromstring(drawn(view, "en"))


def test_a_chart_is_written_by_its_ending(tmp_path: Path) -> None:
    view = view_of("loader")
    write_chart(tmp_path / "chart.svg", view, "en")
    assert (tmp_path / "chart.svg").read_text("utf-8") == drawn(view, "en")
    write_chart(tmp_path / "chart.HTML", view, "zh")
    assert (tmp_path / "chart.HTML").read_text("utf-8") == page(view, "zh")
    with pytest.raises(Refusal, match=r"ends in \.svg, \.html"):
        write_chart(tmp_path / "chart.png", view, "en")
    with pytest.raises(Refusal, match="cannot be written"):
        write_chart(tmp_path / "missing" / "chart.svg", view, "en")
