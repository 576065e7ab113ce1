"""What must come first for a hundred queries over the real content."""

import statistics
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.shipped import shipped_bank
from torchstone.app.search.search import Searcher
from torchstone.bank.glossary import load_glossary

pytestmark = pytest.mark.pure

TABLE = Path(__file__).with_name("search_queries.toml")
QUERIES: list[dict[str, Any]] = tomllib.loads(TABLE.read_text(encoding="utf-8"))["queries"]
# Written before the search was changed for them.
WRITTEN_FIRST: list[dict[str, Any]] = tomllib.loads(
    TABLE.with_name("search_queries_written_first.toml").read_text(encoding="utf-8")
)["queries"]
# Among questions alone, over the first ten. Half of these queries are symptoms in words that the
# questions do not have. The weights of the ranking were found on the first file. Without what
# people say the index alone gives 0.67 and 0.71.
LEAST_MRR_OF_QUESTIONS = {"question_queries.toml": 0.9, "question_queries_second.toml": 0.82}
# The mean of 1 / rank of the first right hit. It was 0.98 when this was written; without the
# glossary it is 0.81.
LEAST_MRR = 0.95
# 0.69 before the search was changed for them, 0.99 after.
LEAST_MRR_OF_WRITTEN_FIRST = 0.98


def rank_of(searcher: Searcher, query: dict[str, Any]) -> int | None:
    hits = searcher.find(query["text"]).hits
    ranks = (rank for rank, hit in enumerate(hits, start=1) if hit.id in query["wanted"])
    return next(ranks, None)


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query["text"])
def test_what_is_wanted_comes_first(searcher: Searcher, query: dict[str, Any]) -> None:
    rank = rank_of(searcher, query)
    assert rank is not None
    assert rank <= query.get("within", 1)


def test_the_mean_reciprocal_rank_is_high(
    searcher: Searcher, record_property: Callable[[str, object], None]
) -> None:
    ranks = [rank_of(searcher, query) for query in QUERIES]
    mrr = statistics.mean(1 / rank if rank else 0.0 for rank in ranks)
    record_property("mrr", round(mrr, 3))
    assert mrr >= LEAST_MRR, f"MRR {mrr:.3f} over {len(ranks)} queries"


def test_the_mean_reciprocal_rank_of_the_queries_written_first_is_high(
    searcher: Searcher, record_property: Callable[[str, object], None]
) -> None:
    ranks = [rank_of(searcher, query) for query in WRITTEN_FIRST]
    mrr = statistics.mean(1 / rank if rank else 0.0 for rank in ranks)
    record_property("mrr", round(mrr, 3))
    assert mrr >= LEAST_MRR_OF_WRITTEN_FIRST, f"MRR {mrr:.3f} over {len(ranks)} queries"


def test_the_queries_written_first_are_sixty_new_ones() -> None:
    texts = {query["text"] for query in WRITTEN_FIRST}
    chinese = [text for text in texts if not text.isascii()]
    assert len(texts) == len(WRITTEN_FIRST) == 60
    assert 25 <= len(chinese) <= 35
    # This one again with a stricter answer.
    assert texts & {query["text"] for query in QUERIES} <= {"save_for_backward"}


def test_the_queries_are_many_and_of_both_languages() -> None:
    texts = [query["text"] for query in QUERIES]
    assert len(set(texts)) == len(texts) >= 60
    chinese = [text for text in texts if not text.isascii()]
    assert len(chinese) >= 0.4 * len(texts)
    assert len(chinese) >= 30
    assert sum(len(text) == 2 for text in chinese) >= 15


def test_what_is_wanted_exists(searcher: Searcher) -> None:
    terms = {term.id for term in load_glossary()}
    problems = {problem.id for problem in shipped_bank()}
    assert {
        name for query in [*QUERIES, *WRITTEN_FIRST] for name in query["wanted"]
    } <= terms | problems


@pytest.mark.parametrize("file", LEAST_MRR_OF_QUESTIONS)
def test_the_questions_that_are_wanted_rank_high_among_questions(
    searcher: Searcher, record_property: Callable[[str, object], None], file: str
) -> None:
    ranks = []
    for query in tomllib.loads(TABLE.with_name(file).read_text(encoding="utf-8"))["queries"]:
        hits = searcher.find(query["text"], limit=100).hits
        asked = [hit.id for hit in hits if hit.kind == "question"][:10]
        assert asked, query["text"]
        ranks.append(next((n for n, name in enumerate(asked, 1) if name in query["wanted"]), None))
    mrr = statistics.mean(1 / rank if rank else 0.0 for rank in ranks)
    record_property("mrr", round(mrr, 3))
    assert mrr >= LEAST_MRR_OF_QUESTIONS[file], f"MRR {mrr:.3f} over {len(ranks)} queries"
