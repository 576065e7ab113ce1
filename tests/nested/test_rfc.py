"""The RFC keeps its form: fixed headings, and four fifths of its marked statements are run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from torchstone.bank.markdown import outline

pytestmark = [pytest.mark.pure]

PAGES = [
    Path(__file__).resolve().parents[2] / "docs" / "rfc" / f"0001-nested-quantized{each}.md"
    for each in ("", ".zh")
]
HEADINGS = [
    *("Summary", "Motivation", "What exists", "Proposal", "Representation", "Dispatch"),
    *("Operators", "Autograd", "Compilation", "Serialization and versions", "Numerics"),
    *("Performance", "Risks", "Alternatives", "Upstream path", "Open questions"),
    "Appendix of claims",
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_four_fifths_of_what_is_claimed_is_run(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    claimed = {int(each) for each in re.findall(r"\[claim:(\d+)\]", text)}
    run = {int(each) for each in re.findall(r"# claim:(\d+)\n", text)}
    assert claimed == run == {*range(1, len(run) + 1)}
    # Of the first paragraph, which explains the marks, one each.
    others = len(re.findall(r"\[(?:cited|opinion)", text)) - 2
    assert len(run) >= 0.8 * (len(run) + others)


def test_the_headings_are_those_of_every_rfc() -> None:
    english, chinese = (outline(page.read_text(encoding="utf-8")) for page in PAGES)
    assert [each.title for each in english.headings[1:]] == HEADINGS
    assert len(chinese.headings) == len(english.headings)
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        parts = re.split(r"^## .*$", text, flags=re.MULTILINE)
        risks, alternatives = parts[HEADINGS.index("Risks") + 1], parts[HEADINGS.index("Risks") + 2]
        assert risks.count("\n|") - 2 >= 8
        assert len(re.findall(r"^\*\*", alternatives, flags=re.MULTILINE)) >= 5
