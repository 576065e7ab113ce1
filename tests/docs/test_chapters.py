"""The chapters of the Learn tab: all pages of the handbook once, joined to what is there."""

from pathlib import Path

import pytest

from torchstone.app.home import Home
from torchstone.bank.concepts import load_concepts
from torchstone.bank.handbook import load_handbook
from torchstone.bank.questions.library import find_lines
from torchstone.core.i18n import LANGS

pytestmark = pytest.mark.pure

HANDBOOK = Path(__file__).resolve().parents[2] / "docs" / "handbook"


def test_every_page_of_the_handbook_is_a_chapter_once() -> None:
    named = [spec.id for part in load_handbook(HANDBOOK).parts for spec in part.chapters]
    for lang in LANGS:
        pages = {page.stem for page in (HANDBOOK / lang).glob("*.md")} - {"index"}
        assert sorted(named) == sorted(pages)


def test_what_a_chapter_is_joined_to_is_there() -> None:
    problems = {problem.id for problem in Home().bank}
    for chapter in load_handbook(HANDBOOK).chapters.values():
        assert set(chapter.spec.problems) <= problems
        assert all(load_concepts().path(topic) for topic in chapter.spec.topics)
        assert [name for name in chapter.spec.code if find_lines(name) is None] == []


def test_what_was_measured_of_cells_is_of_those_that_are_there() -> None:
    # A chapter that was changed is not measured, and says nothing of time: no fault of the change.
    for chapter in load_handbook(HANDBOOK).chapters.values():
        if chapter.times is not None:
            is_whole = len(chapter.times.seconds) == len(chapter.cells)
            assert is_whole == (chapter.times.end is None)
