import json
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bank.conftest import write_problem
from torchstone.app.home import Home
from torchstone.app.search.documents import Findable, FindableText, findables
from torchstone.app.search.search import MAX_HITS, Searcher, SearchResult
from torchstone.bank.glossary import Glossary
from torchstone.core.errors import StoreError
from torchstone.store import search_index
from torchstone.store.search_index import MEMORY, DocumentKind

pytestmark = pytest.mark.pure


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TORCHSTONE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def ids(result: SearchResult) -> list[str]:
    return [hit.id for hit in result.hits]


def many(home: Home, glossary: Glossary) -> tuple[Findable, ...]:
    """Return fifty problems about strides, and the terms."""
    text = FindableText(title="stride", names=(), body="stride", keywords="")
    texts = {"en": text, "zh": text}
    problems = (
        Findable(kind=DocumentKind.PROBLEM, id=f"{number:02}", texts=dict(texts))  # type: ignore[arg-type]
        for number in range(1, 51)
    )
    terms = (one for one in findables(home, glossary) if one.kind is DocumentKind.TERM)
    return (*problems, *terms)


def test_a_problem_is_shown_with_its_titles_and_the_place_that_was_found(
    searcher: Searcher,
) -> None:
    hit = searcher.find("步长").hits[0]
    assert (hit.kind, hit.id, hit.path) == ("problem", "03", "problems/03")
    assert hit.title == {"en": "Broadcasting by hand", "zh": "手动实现广播扩展"}
    # In each language the word of that language.
    assert "stride" in hit.snippet["en"]
    assert "步长" in hit.snippet["zh"]
    assert hit.problems == ("03",)


def test_a_term_is_shown_with_its_other_names_and_the_problems_it_occurs_in(
    searcher: Searcher,
) -> None:
    hit = next(hit for hit in searcher.find("stride").hits if hit.kind == "term")
    assert (hit.id, hit.path) == ("stride", "problems?q=stride")
    assert hit.title == {"en": "stride", "zh": "步长"}
    assert hit.snippet == {"en": "as_strided", "zh": "步幅、as_strided"}
    assert "03" in hit.problems
    assert list(hit.problems) == sorted(hit.problems)


def test_a_term_of_no_problem_is_found_and_says_so(searcher: Searcher) -> None:
    hit, *others = searcher.find("deadlock").hits
    assert (hit.id, hit.problems) == ("deadlock", ())
    assert {other.kind for other in others} == {"chapter"}


def test_problems_come_before_terms_questions_and_chapters(searcher: Searcher) -> None:
    kinds = [hit.kind for hit in searcher.find("梯度", limit=50).hits]
    assert [kind for kind, _ in groupby(kinds)] == ["problem", "term", "question", "chapter"]


def test_a_question_is_found_by_its_number_and_by_words_of_its_answer_which_are_not_shown(
    searcher: Searcher,
) -> None:
    assert searcher.find("2.1.2.1.1").hits[0].id == "2.1.2.1.1"
    hits = searcher.find("view never copies storage").hits
    (hit,) = (hit for hit in hits if hit.id == "2.1.2.1.1")
    assert (hit.kind, hit.path) == ("question", "questions/2.1.2.1.1")
    assert hit.title["zh"] == "view() 与 reshape() 有何不同？"
    assert hit.snippet["en"] == "Tensors / Tensor basics / Views and copies / Views"
    assert hit.about is None


@pytest.mark.parametrize(
    ("english", "chinese"),
    [("stride", "步长"), ("weight tying", "权重绑定"), ("finite difference", "有限差分")],
)
def test_both_languages_find_the_same(searcher: Searcher, english: str, chinese: str) -> None:
    in_english, in_chinese = (searcher.find(words, limit=MAX_HITS) for words in (english, chinese))
    # A chapter says a thing in English too where its Chinese text names it.
    same = [
        sorted(hit.id for hit in found.hits if hit.kind != "chapter")
        for found in (in_english, in_chinese)
    ]
    assert same[0] == same[1] != []


def test_when_nothing_holds_all_words_what_holds_some_is_found(searcher: Searcher) -> None:
    assert searcher.find("broadcast deadlock").hits[0].id == "03"


def test_a_question_with_all_words_hides_no_problem_that_has_some(searcher: Searcher) -> None:
    hits = searcher.find("how to share a weight between two layers").hits
    assert {hit.kind for hit in hits} >= {"problem", "question"}


@pytest.mark.parametrize("limit", [1, 2, 5, 20])
def test_a_list_is_no_longer_than_its_limit_and_keeps_places_for_terms(
    cache: Path, limit: int
) -> None:
    searcher = Searcher(Home(), source=many)
    result = searcher.find("stride", limit=limit)
    searcher.close()
    assert len(result.hits) == limit
    assert result.total > 50
    num_terms = sum(hit.kind == "term" for hit in result.hits)
    assert num_terms == min(limit // 4, result.total - 50)


@pytest.mark.parametrize("limit", [0, -1, MAX_HITS + 1, 10**30])
def test_a_limit_out_of_range_is_refused(searcher: Searcher, limit: int) -> None:
    with pytest.raises(ValueError, match=f"limit is {limit}; expected 1 to"):
        searcher.find("stride", limit=limit)


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("sofmax", "softmax"),
        ("softamx", "softmax"),
        ("gradent", "gradient"),
        ("brodcasting", "broadcasting"),
        ("cross entorpy", "cross entropy"),
        ("LAYRE norm", "layer norm"),
        ("交差熵", "交叉熵"),
        ("how to share a wieght", "how to share a weight"),
    ],
)
def test_a_misspelt_query_shows_the_results_of_the_query_that_is_meant(
    searcher: Searcher, query: str, meant: str
) -> None:
    result = searcher.find(query)
    assert result.query == query
    assert result.corrected is not None
    assert result.corrected.casefold() == meant.casefold()
    assert result.near == ()
    assert result.hits == searcher.find(meant).hits != ()


def test_one_of_two_chinese_characters_is_too_little_to_show_other_results(
    searcher: Searcher,
) -> None:
    result = searcher.find("步常")
    assert (result.total, result.hits, result.corrected) == (0, (), None)
    # Each page shows the name in its language.
    assert result.near[0] == {"en": "stride", "zh": "步长"}
    assert len(result.near) <= 3
    for names in result.near:
        for name in names.values():
            assert searcher.find(name).hits, name


@pytest.mark.parametrize("query", ["softmax", "broadcast deadlock", "strid", "层归一化", "07"])
def test_a_query_with_results_is_not_corrected(searcher: Searcher, query: str) -> None:
    assert searcher.find(query).corrected is None


@pytest.mark.parametrize(
    "query", ["foo", "zzzzqqqq", "banana", "hello", "PDF", "48op", "99", "你好", "x y z", "42opp1"]
)
def test_a_word_that_resembles_no_name_is_corrected_to_none(searcher: Searcher, query: str) -> None:
    result = searcher.find(query)
    assert (result.corrected, result.near) == (None, ())


def test_a_title_with_the_words_as_written_comes_before_other_names_of_a_term(
    searcher: Searcher,
) -> None:
    # "tile" is also `torch.tile`; 共享内存 is also a storage that two tensors share.
    for query in ("tile", "共享内存", "shared memory"):
        assert searcher.find(query).hits[0].id == "44", query


def test_a_term_says_what_it_is_and_leads_to_the_problems_that_teach_it(
    searcher: Searcher,
) -> None:
    for query in ("bank conflict", "存储体冲突"):
        problem, term, *others = searcher.find(query).hits
        assert {other.kind for other in others} == {"chapter"}
        assert (problem.id, problem.about) == ("44", None)
        assert (term.id, term.problems) == ("bank-conflict", ("44",))
        assert term.about is not None
        assert "bank of shared memory" in term.about["en"]
        assert "存储体" in term.about["zh"]
    # The problem is not found by a part of such a name.
    assert "44" not in ids(searcher.find("存储"))[:2]


def test_an_abbreviation_is_not_looked_for_in_the_texts_of_problems(searcher: Searcher) -> None:
    assert ids(searcher.find("CE"))[0] == "02"
    # CE is also a verdict: 50 speaks of it, and says nothing of cross entropy.
    assert "50" not in ids(searcher.find("交叉熵"))


def test_a_term_leads_to_no_problem_that_a_home_lacks(cache: Path) -> None:
    searcher = Searcher(Home(), source=many)
    hit = next(hit for hit in searcher.find("stride").hits if hit.kind == "term")
    searcher.close()
    assert hit.problems == ("03",)


def test_nothing_is_near_to_what_is_like_nothing(searcher: Searcher) -> None:
    result = searcher.find("zzzzqqqq")
    assert (result.total, result.near) == (0, ())


def test_a_number_without_a_problem_is_like_no_other_number(searcher: Searcher) -> None:
    assert searcher.find("0107").near == ()


def test_what_was_found_needs_no_suggestion(searcher: Searcher) -> None:
    assert searcher.find("softmax").near == ()


@pytest.mark.parametrize(
    "query",
    [
        "",
        " \t\n",
        '"',
        '""""',
        "' OR 1=1 --",
        "softmax OR title:",
        "NEAR(a b)",
        "a* ^b -c (d",
        "title : softmax",
        "{title}: x",
        "AND",
        "NOT NOT",
        "\0",
        "soft\0max",
        "\ud800\udfff",
        "😀👩‍👩‍👧",
        "，。！？《》",
        "%_",
        "\u202esoftmax",
        "ﷺ" * 500,
        "梯" * 1_000_000,
        "a b " * 250_000,
        "(" * 100_000,
        '"' * 100_001,
        "\\",
        "١٢٣",
        "𠮷野家",
    ],
)
def test_whatever_is_typed_is_answered(searcher: Searcher, query: str) -> None:
    result = searcher.find(query)
    # The page gets it as JSON in UTF-8.
    json.dumps(asdict(result), ensure_ascii=False).encode()


@given(query=st.text(max_size=80))
def test_any_text_is_answered(searcher: Searcher, query: str) -> None:
    result = searcher.find(query)
    assert len(result.hits) <= result.total
    assert not (result.hits and result.near)


def test_the_query_comes_back_as_it_was_understood(searcher: Searcher) -> None:
    assert searcher.find("  soft\0max\n\ud800 ").query == "soft max"


@pytest.mark.full
def test_many_threads_ask_a_search_that_nobody_has_asked_before(cache: Path) -> None:
    queries = ["步长", "softmax", "hook", "zzzzqqqq", "梯度", "nn.Linear"] * 10
    fresh = Searcher(Home())
    together = threading.Barrier(8)
    with ThreadPoolExecutor(8, initializer=together.wait) as pool:
        answers = list(pool.map(fresh.find, queries))
    assert answers == [fresh.find(query) for query in queries]
    fresh.close()


def test_a_new_bank_is_searched_and_the_old_one_no_more(cache: Path, tmp_path: Path) -> None:
    write_problem(tmp_path)
    home = Home(bank_root=tmp_path)
    first = Searcher(home)
    assert ids(first.find("doubling")) == ["01"]
    first.close()
    statement = tmp_path / "problems" / "01_double" / "statement.en.md"
    statement.write_text("# Doubling\n\nA zebra.\n", encoding="utf-8")
    second = Searcher(Home(bank_root=tmp_path))
    assert ids(second.find("zebra")) == ["01"]
    second.close()
    assert len(list(cache.glob("search-*.db"))) == 1


@pytest.mark.full
def test_a_search_that_was_closed_opens_again(cache: Path) -> None:
    searcher = Searcher(Home())
    before = searcher.find("softmax")
    searcher.close()
    searcher.close()
    assert searcher.find("softmax") == before
    searcher.close()


def test_a_file_that_is_damaged_while_it_is_used_breaks_nothing(cache: Path) -> None:
    searcher = Searcher(Home())
    before = searcher.find("softmax")
    (path,) = cache.glob("search-*.db")
    searcher.close()
    data = path.read_bytes()
    # The first page says that all is well; the others do not.
    path.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    assert searcher.find("softmax") == before
    assert searcher.find("softmax") == before
    searcher.close()
    assert searcher.find("softmax") == before
    searcher.close()


@pytest.mark.full
def test_a_file_that_lost_a_table_is_not_used_again(cache: Path) -> None:
    searcher = Searcher(Home())
    before = searcher.find("softmax")
    searcher.close()
    (path,) = cache.glob("search-*.db")
    # Its key still says that all is there.
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE words_problem")
    connection.close()
    assert searcher.find("softmax") == before
    searcher.close()
    assert not path.exists()


@pytest.mark.full
def test_a_file_that_goes_while_it_is_used_breaks_nothing(cache: Path) -> None:
    searcher = Searcher(Home())
    before = searcher.find("softmax")
    for file in cache.iterdir():
        file.unlink()
    together = threading.Barrier(4)
    with ThreadPoolExecutor(4, initializer=together.wait) as pool:
        assert list(pool.map(searcher.find, ["softmax"] * 20)) == [before] * 20
    searcher.close()


def test_a_sqlite_that_cannot_search_text_is_said_to_be_the_fault(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_fts5(*_: object) -> None:
        raise sqlite3.OperationalError("no such module: fts5")

    monkeypatch.setattr(search_index, "_write", without_fts5)
    with pytest.raises(StoreError, match="fts5"):
        Searcher(Home()).find("softmax")


def test_an_index_that_cannot_be_filled_is_closed(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise sqlite3.OperationalError("no such module: fts5")

    opened: list[sqlite3.Connection] = []
    connect = search_index.SearchIndex._open

    def recorded(index: search_index.SearchIndex) -> sqlite3.Connection:
        opened.append(connect(index))
        return opened[-1]

    monkeypatch.setattr(search_index, "_write", failing)
    monkeypatch.setattr(search_index.SearchIndex, "_open", recorded)
    with pytest.raises(StoreError, match="fts5"):
        Searcher(Home()).find("softmax")
    # The file, twice, and the index in memory.
    assert len(opened) == 3
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")


def test_without_a_cache_the_search_is_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TORCHSTONE_CACHE", str(tmp_path / "file" / "below"))
    searcher = Searcher(Home())
    assert ids(searcher.find("softmax"))[0] == "01"
    assert searcher._opened().path == MEMORY
    searcher.close()
