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


@pytest.mark.parametrize(
    ("words", "chapter", "beside"),
    [
        ("DDP", "data-parallel", "26"),
        ("数据并行", "data-parallel", "25"),
        ("单机多卡", "data-parallel", "27"),
        ("ZeRO", "zero", "zero-redundancy-optimiser"),
        ("reshard", "zero", "resharding"),
        ("重新分片", "zero", "resharding"),
        ("shard optimizer state", "zero", "sharded-optimiser-state"),
        ("all-reduce", "collectives", "26"),
        ("communication volume", "communication", "26"),
        ("通信量", "communication", "26"),
    ],
)
def test_a_word_of_distributed_training_finds_the_chapter_that_explains_it(
    searcher: Searcher, words: str, chapter: str, beside: str
) -> None:
    hits = searcher.find(words).hits
    assert next(hit.id for hit in hits if hit.kind == "chapter") == chapter
    assert beside in {hit.id for hit in hits}
