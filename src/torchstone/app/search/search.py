"""Full-text search of problems and glossary terms, with suggestions when nothing matches."""

import difflib
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TypeVar
from urllib.parse import quote

from torchstone.app.home import Home
from torchstone.app.search.documents import Findable, findables
from torchstone.app.search.indexing import discard, open_in_memory, open_index
from torchstone.app.search.query import read_query, term_expression
from torchstone.app.search.snippet import cut_snippet, plain_text, word_pattern
from torchstone.bank.glossary import Glossary, load_glossary
from torchstone.bank.tokens import clean_query
from torchstone.core.errors import StoreError
from torchstone.core.i18n import Lang, text
from torchstone.store.search_index import (
    MEMORY,
    DocumentKind,
    Expression,
    Match,
    Matches,
    SearchIndex,
)

MAX_HITS = 1000
_NUM_NEAR = 3
# In two or three characters one typing error leaves half.
_NEAR_RATIO, _NEAR_RATIO_OF_SHORT, _SHORT = 0.6, 0.5, 3
# The share of a full list that is reserved for terms.
_TERM_SHARE = 4

Answer = TypeVar("Answer")
Source = Callable[[Home, Glossary], Sequence[Findable]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """One result.

    Args:
        snippet: The matching part of the text in each language, as plain text; for a term its other
            names.
        problems: The problems that mention a term; for a problem, the problem itself.
        path: The path of the page, below the language.
    """

    kind: DocumentKind
    id: str
    title: dict[str, str]
    snippet: dict[str, str]
    problems: tuple[str, ...]
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The results of a query: the problems, best first, then the terms.

    Args:
        query: The normalised query, on one line of bounded length.
        total: The number of all results; ``hits`` can be fewer.
        near: Similar titles and words to search for instead, if there are no results.
    """

    query: str
    total: int
    hits: tuple[SearchHit, ...]
    near: tuple[str, ...]


class Searcher:
    """The search over one bank, for any number of threads.

    The first query reads the content.
    """

    def __init__(self, home: Home, *, source: Source = findables) -> None:
        """Search the content of a bank.

        Args:
            home: The learner's home, with the bank.
            source: Function that returns the searchable things.
        """
        self._home = home
        self._source = source
        self._lock = threading.RLock()
        self._index: SearchIndex | None = None
        self._occurrences: dict[str, tuple[str, ...]] = {}
        self._plain: dict[tuple[str, Lang], str] = {}

    def close(self) -> None:
        """Close the index; the next query opens it again."""
        with self._lock:
            index, self._index = self._index, None
        if index is not None:
            index.close()

    def find(self, query: str, *, limit: int = 20) -> SearchResult:
        """Search for a query in either language; any text is a valid query.

        If nothing matches the whole query, the results match a part of it.

        Args:
            query: The typed text.
            limit: The maximal number of hits, from 1 to ``MAX_HITS``.

        Raises:
            StoreError: This SQLite has no full-text search.
        """
        if not 1 <= limit <= MAX_HITS:
            raise ValueError(f"find: limit is {limit}; expected 1 to {MAX_HITS}.")
        understood = clean_query(query)
        reading = read_query(understood, self._glossary)
        problems, terms = self._both(reading.strict, limit)
        if not problems.total + terms.total:
            problems, terms = self._both(reading.loose, limit)
        total = problems.total + terms.total
        return SearchResult(
            query=understood,
            total=total,
            hits=tuple(self._hits(problems, terms, limit, word_pattern(reading.spoken))),
            near=() if total else self._near(understood),
        )

    def _both(self, expression: Expression, limit: int) -> tuple[Matches, Matches]:
        problems, terms = (
            self._asked(partial(SearchIndex.find, expression=expression, kind=kind, limit=limit))
            for kind in (DocumentKind.PROBLEM, DocumentKind.TERM)
        )
        return problems, terms

    def _asked(self, question: Callable[[SearchIndex], Answer]) -> Answer:
        index = self._opened()
        try:
            return question(index)
        except StoreError:
            # The file was removed or damaged in the meantime.
            other = self._instead_of(index)
            if other is None:
                raise
            return question(other)

    def _opened(self) -> SearchIndex:
        with self._lock:
            if self._index is None:
                self._index = open_index(tuple(self._everything.values()))
            return self._index

    def _instead_of(self, broken: SearchIndex) -> SearchIndex | None:
        with self._lock:
            if self._index is broken:
                if broken.path == MEMORY:
                    return None
                broken.close()
                discard(broken.path)
                self._index = open_in_memory(tuple(self._everything.values()))
            return self._opened()

    def _hits(
        self, problems: Matches, terms: Matches, limit: int, words: re.Pattern[str]
    ) -> Iterator[SearchHit]:
        num_terms = max(limit // _TERM_SHARE, limit - len(problems.matches))
        shown_terms = terms.matches[:num_terms]
        for match in problems.matches[: limit - len(shown_terms)]:
            yield self._problem_hit(match, words)
        for match in shown_terms:
            yield self._term_hit(match)

    def _problem_hit(self, match: Match, words: re.Pattern[str]) -> SearchHit:
        found = self._everything[DocumentKind.PROBLEM, match.id]
        return SearchHit(
            kind=found.kind,
            id=found.id,
            title={lang: text.title for lang, text in found.texts.items()},
            snippet={
                lang: cut_snippet(self._prose(found, lang), words, lang) for lang in found.texts
            },
            problems=(found.id,),
            path=f"problems/{found.id}",
        )

    def _term_hit(self, match: Match) -> SearchHit:
        found = self._everything[DocumentKind.TERM, match.id]
        return SearchHit(
            kind=found.kind,
            id=found.id,
            title={lang: text.title for lang, text in found.texts.items()},
            snippet={
                lang: text("app.list_comma", lang).join(found_text.names)
                for lang, found_text in found.texts.items()
            },
            problems=self._problems_with(found.id),
            path=f"problems?q={quote(found.texts['en'].title)}",
        )

    def _prose(self, found: Findable, lang: Lang) -> str:
        # Two threads may compute it at once; both store the same text.
        key = (found.id, lang)
        if key not in self._plain:
            self._plain[key] = plain_text(found.texts[lang].body)
        return self._plain[key]

    def _problems_with(self, term_id: str) -> tuple[str, ...]:
        if term_id not in self._occurrences:
            (term,) = (term for term in self._glossary if term.id == term_id)
            expression = term_expression(term)
            self._occurrences[term_id] = self._asked(
                lambda index: index.ids(expression, kind=DocumentKind.PROBLEM)
            )
        return self._occurrences[term_id]

    def _near(self, query: str) -> tuple[str, ...]:
        ratio = _NEAR_RATIO_OF_SHORT if len(query) <= _SHORT else _NEAR_RATIO
        close = difflib.get_close_matches(query.lower(), self._names, n=_NUM_NEAR, cutoff=ratio)
        return tuple(self._names[name] for name in close)

    @cached_property
    def _glossary(self) -> Glossary:
        return load_glossary()

    @cached_property
    def _everything(self) -> Mapping[tuple[DocumentKind, str], Findable]:
        found = self._source(self._home, self._glossary)
        return {(one.kind, one.id): one for one in found}

    @cached_property
    def _names(self) -> Mapping[str, str]:
        return {
            name.lower(): name
            for one in self._everything.values()
            for text in one.texts.values()
            for name in (text.title, *text.names)
            if not name.isdigit()
        }
