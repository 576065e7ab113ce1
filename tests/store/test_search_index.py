import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.core.errors import StoreError
from torchstone.core.i18n import Lang
from torchstone.store.search_index import (
    MEMORY,
    DocumentKind,
    Expression,
    Phrase,
    SearchDocument,
    SearchIndex,
)

pytestmark = pytest.mark.pure

PROBLEM, TERM = DocumentKind.PROBLEM, DocumentKind.TERM


def document(
    name: str,
    title: str,
    body: str = "",
    *,
    names: str = "",
    lang: Lang = "en",
    kind: DocumentKind = PROBLEM,
) -> SearchDocument:
    return SearchDocument(
        id=name,
        kind=kind,
        lang=lang,
        title_tokens=tuple(title.split()),
        name_tokens=tuple(names.split()),
        body_tokens=tuple(body.split()),
    )


def phrase(tokens: str, *, is_prefix: bool = False) -> Phrase:
    return Phrase(tokens=tuple(tokens.split()), is_prefix=is_prefix)


def asking(*clauses: str, needs_all: bool = True) -> Expression:
    """Write ``"a b|c"`` for a clause that "a b" or "c" meets, ``"a*"`` for a beginning."""
    return Expression(
        clauses=tuple(
            tuple(
                phrase(tokens.removesuffix("*"), is_prefix=tokens.endswith("*"))
                for tokens in clause.split("|")
            )
            for clause in clauses
        ),
        needs_all=needs_all,
    )


DOCUMENTS = (
    document("01", "softmax 1", "row maximum subtracted softmax", lang="en"),
    document("01", "手写 softmax 1", "切片 最大 大值", lang="zh"),
    document("03", "broadcast 3", "view stride zero stride softmax softmax softmax", lang="en"),
    document("03", "广播 3", "视图 步长 长为 为零", lang="zh"),
    document("stride", "stride asstrided", kind=TERM),
)


@pytest.fixture(params=["memory", "file"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SearchIndex]:
    path = MEMORY if request.param == "memory" else tmp_path / "index.db"
    with SearchIndex(path) as opened:
        opened.rebuild(DOCUMENTS, key="first")
        yield opened


def ids(index: SearchIndex, expression: Expression, kind: DocumentKind = PROBLEM) -> list[str]:
    return [match.id for match in index.find(expression, kind=kind, limit=10).matches]


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        (asking("stride"), ["03"]),
        (asking("row maximum"), ["01"]),
        (asking("maximum row"), []),
        (asking("步长 长为"), ["03"]),
        (asking("步长 为零"), []),
        (asking("view", "stride"), ["03"]),
        (asking("view", "row"), []),
        (asking("view", "row", needs_all=False), ["01", "03"]),
        (asking("absent|broadcast"), ["03"]),
        (asking("broad*"), ["03"]),
        (asking("zero str*"), ["03"]),
        (asking("broad"), []),
        (asking("or", "and", needs_all=False), []),
        (Expression(clauses=()), []),
        (Expression(clauses=((), (phrase("stride"),))), []),
    ],
)
def test_an_expression_finds_what_meets_it(
    index: SearchIndex, expression: Expression, wanted: list[str]
) -> None:
    assert sorted(ids(index, expression)) == wanted
    assert list(index.ids(expression, kind=PROBLEM)) == wanted


def test_a_title_weighs_more_than_a_text_that_repeats_the_word(index: SearchIndex) -> None:
    assert ids(index, asking("softmax")) == ["01", "03"]


def test_each_kind_is_searched_by_itself(index: SearchIndex) -> None:
    assert ids(index, asking("stride"), PROBLEM) == ["03"]
    assert ids(index, asking("stride"), TERM) == ["stride"]


def test_a_thing_is_found_once_and_in_the_language_that_fits(index: SearchIndex) -> None:
    found = index.find(asking("softmax"), kind=PROBLEM, limit=10)
    assert found.total == 2
    assert len(found.matches) == 2
    (match,) = index.find(asking("最大 大值"), kind=PROBLEM, limit=10).matches
    assert (match.id, match.lang) == ("01", "zh")
    assert match.score > 0


def test_the_total_counts_what_the_limit_leaves_out(index: SearchIndex) -> None:
    found = index.find(asking("softmax"), kind=PROBLEM, limit=1)
    assert (found.total, [match.id for match in found.matches]) == (2, ["01"])


@given(st.text(min_size=1, max_size=8).filter(lambda text: text.strip() == text))
def test_every_token_that_is_stored_is_found_whatever_its_script(token: str) -> None:
    token = "".join(char for char in token if char.isalnum()) or "a"
    with SearchIndex() as index:
        index.rebuild([document("01", token)], key="k")
        # ASCII letters are folded, as tokens have no capitals.
        assert ids(index, asking(token)) == ["01"]


@pytest.mark.parametrize(
    ("stored", "other"),
    [
        # The dot of a section number parts no token.
        ("4·2·2", "4·2"),
        ("4·2·2", "2·2"),
        # Letters that differ in a mark are different letters.
        ("résumé", "resume"),
        # Characters that Unicode has added since SQLite's tables were made.
        ("\U0002b820\U0002b821", "\U0002b820"),
        ("\U00030000\U00030001", "\U00030001"),
    ],
)
def test_a_token_is_found_whole_and_by_nothing_else(stored: str, other: str) -> None:
    with SearchIndex() as index:
        index.rebuild([document("01", stored)], key="k")
        assert ids(index, asking(stored)) == ["01"]
        assert ids(index, asking(other)) == []


@pytest.mark.parametrize("token", ["", " ", "a b", 'a"', 'a" OR title : "b', "a\0b", "\n"])
def test_what_could_be_syntax_is_refused(token: str) -> None:
    with pytest.raises(ValueError, match="letters and digits"):
        Phrase(tokens=(token,))


def test_a_phrase_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="letters and digits"):
        Phrase(tokens=())


def test_two_hundred_clauses_are_not_too_many(index: SearchIndex) -> None:
    clauses = [f"absent{number}|missing{number}*" for number in range(200)]
    assert ids(index, asking(*clauses)) == []
    assert ids(index, asking(*clauses, "stride", needs_all=False)) == ["03"]
    assert ids(index, asking("|".join([*clauses, "stride"]))) == ["03"]


def test_rebuilding_replaces_everything(index: SearchIndex) -> None:
    index.rebuild([document("09", "recurrent")], key="second")
    assert index.key == "second"
    assert ids(index, asking("recurrent")) == ["09"]
    assert ids(index, asking("stride")) == []
    assert ids(index, asking("stride"), TERM) == []


def test_the_same_key_is_not_built_twice(index: SearchIndex) -> None:
    index.rebuild([document("09", "recurrent")], key="first")
    assert ids(index, asking("stride")) == ["03"]
    assert ids(index, asking("recurrent")) == []


def test_a_rebuild_that_fails_changes_nothing(index: SearchIndex) -> None:
    def breaking() -> Iterator[SearchDocument]:
        yield document("09", "recurrent")
        raise RuntimeError("the content cannot be read")

    with pytest.raises(RuntimeError, match="cannot be read"):
        index.rebuild(breaking(), key="second")
    assert index.key == "first"
    assert ids(index, asking("stride")) == ["03"]
    index.rebuild([document("09", "recurrent")], key="second")
    assert ids(index, asking("recurrent")) == ["09"]


def test_a_file_keeps_its_documents(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with SearchIndex(path) as first:
        assert first.key is None
        first.rebuild(DOCUMENTS, key="first")
    with SearchIndex(path) as again:
        assert again.key == "first"
        assert ids(again, asking("stride")) == ["03"]


def test_who_asks_during_a_rebuild_is_answered_from_before(tmp_path: Path) -> None:
    with SearchIndex(tmp_path / "index.db") as index:
        index.rebuild(DOCUMENTS, key="first")
        seen: list[list[str]] = []

        def asking_meanwhile() -> Iterator[SearchDocument]:
            yield document("09", "stride")
            seen.append(ids(index, asking("stride")))

        index.rebuild(asking_meanwhile(), key="second")
        assert seen == [["03"]]
        assert ids(index, asking("stride")) == ["09"]


def test_many_threads_get_the_answers_of_one(index: SearchIndex) -> None:
    questions = [asking("softmax"), asking("stride"), asking("步长 长为"), asking("absent")] * 50
    alone = [ids(index, question) for question in questions]
    together = threading.Barrier(8)

    def ask(question: Expression) -> list[str]:
        return ids(index, question)

    with ThreadPoolExecutor(8, initializer=together.wait) as pool:
        assert list(pool.map(ask, questions)) == alone


def test_two_indexes_of_one_file_that_build_at_once_agree(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with SearchIndex(path) as one, SearchIndex(path) as other, ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda index: index.rebuild(DOCUMENTS, key="first"), (one, other)))
        assert ids(one, asking("stride")) == ids(other, asking("stride")) == ["03"]


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    path.write_bytes(b"no database " * 1000)
    with pytest.raises(StoreError):
        SearchIndex(path)


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        SearchIndex(tmp_path)


def test_an_index_that_was_never_built_cannot_be_asked(tmp_path: Path) -> None:
    with SearchIndex(tmp_path / "index.db") as index, pytest.raises(StoreError):
        index.find(asking("stride"), kind=PROBLEM, limit=1)


def test_pages_that_are_damaged_later_are_an_error_and_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with SearchIndex(path) as index:
        index.rebuild(DOCUMENTS, key="first")
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    with SearchIndex(path) as index, pytest.raises(StoreError):
        index.find(asking("stride"), kind=PROBLEM, limit=1)


def test_a_title_that_meets_the_second_expression_comes_first() -> None:
    with SearchIndex() as index:
        index.rebuild(
            [
                document("01", "other", "stride stride stride", names="stride"),
                document("02", "a stride of many other words", "stride"),
                document("03", "stride", "nothing"),
                document("03", "步", "无", lang="zh"),
            ],
            key="first",
        )
        expression = asking("stride")
        plain = index.find(expression, kind=PROBLEM, limit=9)
        titled = index.find(expression, kind=PROBLEM, limit=9, in_title=expression)
        short = index.find(expression, kind=PROBLEM, limit=1, in_title=asking("a stride"))
        none = index.find(expression, kind=PROBLEM, limit=9, in_title=asking())
    assert plain.total == titled.total == short.total == 3
    assert [match.id for match in plain.matches][-1] == "02"
    # A name is no title, and a title is found although one language lacks it.
    assert [match.id for match in titled.matches][-1] == "01"
    assert [match.id for match in short.matches] == ["02"]
    assert none == plain


def test_a_closed_index_leaves_no_connection_open(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    index = SearchIndex(path)
    index.rebuild(DOCUMENTS, key="first")
    index.close()
    # The last connection to close takes the log with it.
    assert [file.name for file in tmp_path.iterdir()] == ["index.db"]
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_an_index_that_is_closed_while_it_works_closes_when_it_has(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path / "index.db")

    def closing() -> Iterator[SearchDocument]:
        index.close()
        yield document("01", "stride")

    index.rebuild(closing(), key="first")
    assert [file.name for file in tmp_path.iterdir()] == ["index.db"]
    # Whoever comes too late is answered all the same, and leaves nothing open.
    assert index.key == "first"
    assert ids(index, asking("stride")) == ["01"]
    assert [file.name for file in tmp_path.iterdir()] == ["index.db"]
