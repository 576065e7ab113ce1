"""A query that is the id of a problem finds this problem first."""

import pytest

from torchstone.app.search.search import MAX_HITS, Searcher, SearchResult

pytestmark = pytest.mark.pure


def ids(result: SearchResult) -> list[str]:
    return [hit.id for hit in result.hits]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        *(("02", "02"), ("2", "02"), ("\uff12", "02"), ("1", "01"), ("50", "50"), (" 42 ", "42")),
        *(("42op", "42op"), ("42OP", "42op"), ("47op", "47op")),
    ],
)
def test_an_exact_id_comes_first(searcher: Searcher, query: str, wanted: str) -> None:
    whole = searcher.find(query, limit=MAX_HITS)
    assert whole.hits[0].id == wanted
    assert ids(whole).count(wanted) == 1
    assert whole.total == len(whole.hits)
    only = searcher.find(query, limit=1)
    assert (ids(only), only.total) == ([wanted], whole.total)


def test_a_number_that_is_no_id_moves_nothing(searcher: Searcher) -> None:
    assert ids(searcher.find("98765")) == []
    assert "42" in ids(searcher.find("42"))[:1]
    assert "42op" in ids(searcher.find("42"))[1:], "another problem of the number stays"
