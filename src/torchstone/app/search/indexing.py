"""Search index cache: one index for each content, in the cache folder or in memory."""

import contextlib
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import torchstone
from torchstone.app.search.documents import Findable
from torchstone.bank.tokens import TOKENISER_VERSION, index_tokens
from torchstone.core.errors import BadInput, StoreError
from torchstone.core.paths import cache_dir
from torchstone.store.search_index import SearchDocument, SearchIndex

# Increment it when the index stores the same content in another way.
_INDEX_VERSION = 4
_ATTEMPTS = 2


def open_index(everything: Sequence[Findable]) -> SearchIndex:
    """Open the index of this content; build it if it does not exist.

    The file name is a hash of the content. A change of the content creates a new file and removes
    the old one. A broken file is rebuilt.
    """
    key = content_key(everything)
    try:
        path = cache_dir() / f"search-{key}.db"
    except BadInput:
        return open_in_memory(everything)
    for _ in range(_ATTEMPTS):
        try:
            index = _open_file(path, everything, key)
        except StoreError:
            discard(path)
        else:
            _discard_others(path)
            return index
    return open_in_memory(everything)


def open_in_memory(everything: Sequence[Findable]) -> SearchIndex:
    """Build an index in memory.

    Raises:
        StoreError: This SQLite has no full-text search.
    """
    return _filled(SearchIndex(), everything, "")


def discard(path: Path) -> None:
    """Remove an index file and the files that SQLite adds, as far as possible."""
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(OSError):
            path.with_name(path.name + suffix).unlink()


def documents_of(everything: Sequence[Findable]) -> Iterator[SearchDocument]:
    """Convert each text to tokens, one document per language."""
    for one in everything:
        for lang, text in one.texts.items():
            yield SearchDocument(
                id=one.id,
                kind=one.kind,
                lang=lang,
                title_tokens=tuple(index_tokens(text.title)),
                name_tokens=(*index_tokens("\n".join(text.names)), *text.taught),
                body_tokens=tuple(index_tokens("\n".join((text.body, text.keywords, *text.said)))),
            )


def content_key(everything: Sequence[Findable]) -> str:
    """Compute a hash of the content and of the versions of tokenizer and index."""
    versions = (torchstone.__version__, TOKENISER_VERSION, _INDEX_VERSION)
    return hashlib.sha256(repr((versions, everything)).encode()).hexdigest()[:16]


def _open_file(path: Path, everything: Sequence[Findable], key: str) -> SearchIndex:
    return _filled(SearchIndex(path), everything, key)


def _filled(index: SearchIndex, everything: Sequence[Findable], key: str) -> SearchIndex:
    """Return the index with these documents; close it on failure."""
    try:
        if index.key != key:
            index.rebuild(documents_of(everything), key=key)
    except BaseException:
        index.close()
        raise
    return index


def _discard_others(path: Path) -> None:
    with contextlib.suppress(OSError):
        for other in path.parent.glob("search-*.db*"):
            if not other.name.startswith(path.name):
                with contextlib.suppress(OSError):
                    other.unlink()
