"""The verdict that the first visit shows is one that the judge gave."""

import json
import re
from pathlib import Path

import pytest

from torchstone.app.home import Home
from torchstone.core.i18n import LANGS

pytestmark = [pytest.mark.web, pytest.mark.pure]

FRONTEND = Path(__file__).parents[2] / "frontend/src"


def test_the_sentence_of_the_sample_is_the_one_of_the_bank() -> None:
    (wrong,) = (each for each in Home().bank.get("01").wrong if each.name == "no_shift")
    assert wrong.words is not None
    for lang in LANGS:
        words = (FRONTEND / f"messages/{lang}/seldom.ts").read_text(encoding="utf-8")
        assert wrong.words.said_in(lang) in words


def test_the_cases_of_the_sample_are_right_and_wrong_ones() -> None:
    source = (FRONTEND / "parts/home/sample.ts").read_text(encoding="utf-8")
    rows = json.loads(
        re.sub(r",\s*\]$", "]", source[source.index("= [") + 2 :].strip().rstrip(";"))
    )
    assert [code for code, _ in rows].count("WA") == 7
    assert all(
        ratio is None if code == "WA" else ratio is None or ratio < 1 for code, ratio in rows
    )
