"""The manual: a page for each rule that can be found, in both languages."""

from __future__ import annotations

import pytest

from torchstone.core.i18n import LANGS
from torchstone.doctor.case import all_thresholds
from torchstone.doctor.manual import codes, pages
from torchstone.doctor.rank import RULES
from torchstone.doctor.refusal import Refusal

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("lang", LANGS)
def test_all_rules_have_a_page(lang: str) -> None:
    found = pages(None, lang)
    assert [page["code"] for page in found] == codes()
    assert all(page["title"] and page["about"] and page["prescription"] for page in found)


def test_a_rule_that_is_applied_has_a_page_and_thresholds() -> None:
    for rule in RULES:
        doc = (rule.__globals__["__doc__"] or "").split(":")[0]
        named = [word.strip(",") for word in doc.split() if word.startswith("TS-")]
        assert named, rule
        for code in named:
            assert code in codes()
            assert code.removeprefix("TS-") in all_thresholds()


def test_thresholds_are_those_of_a_rule() -> None:
    assert set(all_thresholds()) <= {code.removeprefix("TS-") for code in codes()}


@pytest.mark.parametrize("code", ["TS-D001", "d001", "ts-d001"])
def test_a_code_may_be_short(code: str) -> None:
    (page,) = pages(code, "en")
    assert page["code"] == "TS-D001"
    assert page["thresholds"] == all_thresholds()["D001"]


def test_an_unknown_code_is_refused() -> None:
    with pytest.raises(Refusal, match="TS-D001"):
        pages("TS-D01", "en")
