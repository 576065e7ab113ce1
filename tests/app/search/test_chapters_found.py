"""The chapters of the handbook in the search."""

import pytest

from torchstone.app.search.search import Searcher

pytestmark = pytest.mark.pure


def test_a_chapter_is_found_by_its_title_and_by_its_text(searcher: Searcher) -> None:
    for words in ("masks which keys a query sees", "掩码"):
        hit = next(hit for hit in searcher.find(words).hits if hit.kind == "chapter")
        assert (hit.id, hit.path) == ("masks", "learn/masks")
    hit = searcher.find("Philox").hits[-1]
    assert hit.kind == "chapter"
    assert "philox" in hit.snippet["en"].lower()
