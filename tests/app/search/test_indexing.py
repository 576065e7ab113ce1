from pathlib import Path

import pytest

import torchstone
from torchstone.app.search import indexing
from torchstone.app.search.documents import Findable, FindableText
from torchstone.app.search.indexing import content_key, discard, documents_of, open_index
from torchstone.store.search_index import (
    MEMORY,
    DocumentKind,
    Expression,
    Phrase,
    SearchIndex,
)

pytestmark = pytest.mark.pure


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("TORCHSTONE_CACHE", str(folder))
    return folder


def content(word: str = "stride") -> tuple[Findable, ...]:
    text = FindableText(title=word, names=("01",), body="A *view*.", keywords="f(x)")
    return (Findable(kind=DocumentKind.PROBLEM, id="01", texts={"en": text, "zh": text}),)


def finds(index: SearchIndex, word: str) -> bool:
    expression = Expression(clauses=((Phrase(tokens=(word,)),),))
    return index.ids(expression, kind=DocumentKind.PROBLEM) == ("01",)


def files(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_a_document_holds_titles_and_names_apart_from_the_text() -> None:
    english, chinese = documents_of(content())
    assert (english.lang, chinese.lang) == ("en", "zh")
    assert english.title_tokens == ("stride",)
    assert english.name_tokens == ("1",)
    assert english.body_tokens == ("a", "view", "f", "x")


def test_the_index_lies_in_the_cache_under_the_name_of_its_content(cache: Path) -> None:
    with open_index(content()) as index:
        assert index.path == cache / f"search-{content_key(content())}.db"
        assert finds(index, "stride")


def test_an_index_is_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_index(content()):
        pass
    monkeypatch.setattr(indexing, "documents_of", lambda _: pytest.fail("built a second time"))
    with open_index(content()) as index:
        assert finds(index, "stride")


def test_other_content_has_an_index_of_its_own_and_the_old_one_goes(cache: Path) -> None:
    with open_index(content()) as old, open_index(content("gradient")) as new:
        assert finds(new, "gradient")
        assert not finds(new, "stride")
        # Whoever has the old one open keeps it.
        assert finds(old, "stride")
        assert not old.path.exists()
    assert files(cache) == [new.path.name]


def test_files_of_others_are_left_alone(cache: Path) -> None:
    cache.mkdir()
    (cache / "extension.so").write_bytes(b"")
    with open_index(content()) as index:
        pass
    assert files(cache) == sorted(["extension.so", index.path.name])


@pytest.mark.parametrize("name", ["__version__", "TOKENISER_VERSION", "_INDEX_VERSION"])
def test_another_version_has_an_index_of_its_own(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = content_key(content())
    monkeypatch.setattr(torchstone if name == "__version__" else indexing, name, "another")
    assert content_key(content()) != before


@pytest.mark.parametrize(
    "rubbish", [b"", b"no database " * 1000, b"SQLite format 3\0" + b"\0" * 84]
)
def test_a_broken_file_is_made_again(cache: Path, rubbish: bytes) -> None:
    cache.mkdir()
    path = cache / f"search-{content_key(content())}.db"
    path.write_bytes(rubbish)
    with open_index(content()) as index:
        assert index.path == path
        assert finds(index, "stride")


def test_a_build_that_was_cut_short_is_made_again(cache: Path) -> None:
    cache.mkdir()
    with SearchIndex(cache / f"search-{content_key(content())}.db") as unfinished:
        assert unfinished.key is None
    with open_index(content()) as index:
        assert index.path != MEMORY
        assert finds(index, "stride")


def test_without_a_folder_the_index_is_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TORCHSTONE_CACHE", str(tmp_path / "file" / "below"))
    with open_index(content()) as index:
        assert index.path == MEMORY
        assert finds(index, "stride")


def test_where_the_file_cannot_be_made_the_index_is_in_memory(cache: Path) -> None:
    # A folder in its place, since nothing is unwritable for root.
    (cache / f"search-{content_key(content())}.db").mkdir(parents=True)
    with open_index(content()) as index:
        assert index.path == MEMORY
        assert finds(index, "stride")


def test_discarding_takes_what_lies_beside_the_file_too(tmp_path: Path) -> None:
    for name in ("search-1.db", "search-1.db-wal", "search-1.db-shm", "search-2.db"):
        (tmp_path / name).write_text("")
    discard(tmp_path / "search-1.db")
    discard(tmp_path / "search-1.db")
    assert files(tmp_path) == ["search-2.db"]
