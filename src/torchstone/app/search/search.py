"""Full-text search of all content, with suggestions if nothing matches."""

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TypeVar
from urllib.parse import quote

from torchstone.app.home import Home
from torchstone.app.search.documents import Findable, with_chapters
from torchstone.app.search.found import Found
from torchstone.app.search.indexing import discard, open_in_memory, open_index
from torchstone.app.search.query import Reading, read_query, term_expression
from torchstone.app.search.ranking import QuestionRanker
from torchstone.app.search.snippet import cut_snippet, plain_text, word_pattern
from torchstone.bank.concepts import load_concepts
from torchstone.bank.glossary import Glossary, load_glossary
from torchstone.bank.handbook import load_handbook
from torchstone.bank.spelling import Speller
from torchstone.bank.tokens import clean_query
from torchstone.core.errors import StoreError
from torchstone.core.i18n import LANGS, Lang, text
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
_LATIN_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
# With fewer texts, scores are lower: a question with some of the words is equivalent to a problem
# with a score lower by this factor. Tuned on the queries of tests/app/search.
_SCORE_OF_PROBLEMS = 1.4

Answer = TypeVar("Answer")
Source = Callable[[Home, Glossary], Sequence[Findable]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """One result.

    Args:
        snippet: The matching part of the text in each language, as plain text; for a question its
            topic, for a term its other names.
        about: Sentence that defines a term; None for other kinds.
        problems: The problems that teach a term, or else those that mention it; for a problem, the
            problem itself; for a question or a chapter those that practise it.
        path: The path of the page, below the language.
    """

    kind: DocumentKind
    id: str
    title: dict[str, str]
    snippet: dict[str, str]
    about: dict[str, str] | None
    problems: tuple[str, ...]
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The results of a query.

    If a problem or a term contains all words of the query: the problems, best first, then the
    terms, then the questions with some of the words.
    Otherwise, everything with some of them: problems and questions in one list, best first, then
    the terms.
    In both cases the chapters of the handbook come last.

    Args:
        query: The normalised query, on one line of bounded length.
        total: The number of all results; ``hits`` can be fewer.
        corrected: The query that the results belong to, if ``query`` is misspelt; otherwise None.
        near: Similar names to search for instead, in each language, if there are no results.
    """

    query: str
    total: int
    hits: tuple[SearchHit, ...]
    corrected: str | None
    near: tuple[dict[str, str], ...]


class Searcher:
    """Search over one bank; thread-safe.

    The first query reads the content.
    """

    def __init__(self, home: Home, *, source: Source = with_chapters) -> None:
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

        If nothing matches the whole query, the results are those of the query with its spelling
        corrected; if nothing matches that either, they match a part of the query.

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
        found = self._strictly(reading, limit)
        found = self._with_id_first(found, understood, reading, limit)
        corrected = None
        if not found.total:
            corrected = self._corrected(understood)
            if corrected is None:
                found = self._each(reading.loose, limit, is_strict=False)
            else:
                reading = read_query(corrected, self._glossary)
                found = self._strictly(reading, limit)
        is_id = (DocumentKind.QUESTION, understood) in self._everything
        is_one = found.questions.total > 0 and len(reading.strict.clauses) == 1
        if found.is_strict and not (is_id or is_one or found.problems.total or found.terms.total):
            # A question that contains all words of a sentence is no evidence about the problems.
            found = self._each(reading.loose, limit, is_strict=False)
        # A problem statement is long, and contains all words of many queries.
        if not is_id and (found.questions.total or not found.terms.total):
            questions = self._nearest(corrected or understood, reading, limit, is_one=is_one)
            found = replace(found, questions=questions)
        # A lone number is that of a problem or a question; long texts contain many numbers.
        if any(map(str.isalpha, understood)):
            words = reading.strict if found.is_strict else reading.loose
            found = replace(found, chapters=self._of_kind(DocumentKind.CHAPTER, words, limit))
        total = found.total + found.chapters.total
        return SearchResult(
            query=understood,
            total=total,
            hits=tuple(self._hits(found, limit, word_pattern(reading.spoken))),
            corrected=corrected,
            near=() if total else self._near(understood),
        )

    def _strictly(self, reading: Reading, limit: int) -> Found:
        return self._each(reading.strict, limit, in_title=reading.written)

    def _nearest(self, query: str, reading: Reading, limit: int, *, is_one: bool) -> Matches:
        """Return the questions with words of a query; with a single word or term, all matches."""
        expression = reading.strict if is_one else reading.loose
        found = self._of_kind(DocumentKind.QUESTION, expression, MAX_HITS).matches
        ranked = self._ranker.rank(query, found, needs_all=is_one)
        return Matches(total=len(ranked), matches=ranked[:limit])

    def _with_id_first(self, found: Found, query: str, reading: Reading, limit: int) -> Found:
        """Put the problem or the question first whose id is the query; ``2`` means 02."""
        if (DocumentKind.QUESTION, query) in self._everything:
            none = Matches(total=0, matches=())
            only = self._first(found.questions, query, limit)
            return replace(found, problems=none, questions=only, terms=none)
        named = query.casefold().zfill(2)
        if (DocumentKind.PROBLEM, named) not in self._everything:
            return found
        # It may be beyond the limit, and is counted once in either case.
        every = self._strictly(reading, MAX_HITS).problems
        return replace(found, problems=self._first(every, named, limit))

    def _first(self, every: Matches, named: str, limit: int) -> Matches:
        own = [match for match in every.matches if match.id == named]
        first = own[0] if own else Match(id=named, lang="en", score=0.0)
        others = [match for match in every.matches if match.id != named]
        return replace(every, total=every.total + (not own), matches=(first, *others)[:limit])

    def _has_results(self, query: str) -> bool:
        return self._strictly(read_query(query, self._glossary), 1).total > 0

    def _corrected(self, query: str) -> str | None:
        """Return the corrected query, if it has results; None if there is no correction."""
        for nearest in self._speller.nearest(query):
            if nearest.is_sure and self._has_results(nearest.name):
                return nearest.name
        by_words = _LATIN_WORD.sub(lambda word: self._corrected_word(word[0]), query)
        return by_words if by_words != query and self._has_results(by_words) else None

    def _corrected_word(self, word: str) -> str:
        nearest = () if self._has_results(word) else self._speller.nearest(word, limit=1)
        return nearest[0].name if nearest else word

    def _each(
        self,
        expression: Expression,
        limit: int,
        *,
        in_title: Expression | None = None,
        is_strict: bool = True,
    ) -> Found:
        problems, questions, terms = (
            self._of_kind(kind, expression, limit, in_title=in_title)
            for kind in (DocumentKind.PROBLEM, DocumentKind.QUESTION, DocumentKind.TERM)
        )
        return Found(problems=problems, questions=questions, terms=terms, is_strict=is_strict)

    def _of_kind(
        self,
        kind: DocumentKind,
        expression: Expression,
        limit: int,
        *,
        in_title: Expression | None = None,
    ) -> Matches:
        return self._asked(
            lambda index: index.find(expression, kind=kind, limit=limit, in_title=in_title)
        )

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

    def _hits(self, found: Found, limit: int, words: re.Pattern[str]) -> Iterator[SearchHit]:
        problems, questions, terms, chapters = found.shown(limit)
        by_id = dict.fromkeys((match.id for match in questions), self._question_hit)
        by_id |= {match.id: partial(self._problem_hit, words=words) for match in problems}
        if found.is_strict:
            asked = (*problems, *terms, *questions)
        else:
            asked = (*sorted((*problems, *questions), key=_order_of_any), *terms)
        for match in asked:
            yield by_id.get(match.id, self._term_hit)(match)
        # The id of a chapter may be that of a term.
        yield from (self._chapter_hit(match, words=words) for match in chapters)

    def _problem_hit(self, match: Match, *, words: re.Pattern[str]) -> SearchHit:
        found = self._everything[DocumentKind.PROBLEM, match.id]
        return SearchHit(
            kind=found.kind,
            id=found.id,
            title={lang: text.title for lang, text in found.texts.items()},
            snippet={
                lang: cut_snippet(self._prose(found, lang), words, lang) for lang in found.texts
            },
            about=None,
            problems=(found.id,),
            path=f"problems/{found.id}",
        )

    def _chapter_hit(self, match: Match, *, words: re.Pattern[str]) -> SearchHit:
        found = self._everything[DocumentKind.CHAPTER, match.id]
        return SearchHit(
            kind=found.kind,
            id=found.id,
            title={lang: text.title for lang, text in found.texts.items()},
            snippet={
                lang: cut_snippet(self._prose(found, lang), words, lang) for lang in found.texts
            },
            about=None,
            problems=load_handbook().chapters[found.id].spec.problems,
            path=f"learn/{found.id}",
        )

    def _question_hit(self, match: Match) -> SearchHit:
        found = self._everything[DocumentKind.QUESTION, match.id]
        places = load_concepts().path(match.id)
        return SearchHit(
            kind=found.kind,
            id=found.id,
            title={lang: text.title for lang, text in found.texts.items()},
            snippet={
                lang: " / ".join(each.name.said_in(lang) for each in places) for lang in LANGS
            },
            about=None,
            problems=self._home.questions.question(found.id).problems,
            path=f"questions/{found.id}",
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
            about=self._about(found.id),
            problems=self._problems_with(found.id),
            path=f"problems?q={quote(found.texts['en'].title)}",
        )

    def _prose(self, found: Findable, lang: Lang) -> str:
        # Two threads may compute it at once; both store the same text.
        key = (found.id, lang)
        if key not in self._plain:
            self._plain[key] = plain_text(found.texts[lang].body)
        return self._plain[key]

    def _about(self, term_id: str) -> dict[str, str] | None:
        sentence = self._glossary.sentences.get(term_id)
        return None if sentence is None else {lang: sentence.said_in(lang) for lang in LANGS}

    def _problems_with(self, term_id: str) -> tuple[str, ...]:
        if term_id not in self._occurrences:
            (term,) = (term for term in self._glossary if term.id == term_id)
            expression = term_expression(term)
            loaded = {problem.id for problem in self._home.bank}
            taught = tuple(name for name in term.problems if name in loaded)
            self._occurrences[term_id] = taught or self._asked(
                lambda index: index.ids(expression, kind=DocumentKind.PROBLEM)
            )
        return self._occurrences[term_id]

    def _near(self, query: str) -> tuple[dict[str, str], ...]:
        names = (self._names[near.name] for near in self._speller.nearest(query, limit=_NUM_NEAR))
        unique = {name["en"]: name for name in names}
        return tuple(unique.values())

    @cached_property
    def _glossary(self) -> Glossary:
        return load_glossary()

    @cached_property
    def _everything(self) -> Mapping[tuple[DocumentKind, str], Findable]:
        found = self._source(self._home, self._glossary)
        return {(one.kind, one.id): one for one in found}

    @cached_property
    def _ranker(self) -> QuestionRanker:
        return QuestionRanker(
            [one for one in self._everything.values() if one.kind is DocumentKind.QUESTION]
        )

    @cached_property
    def _speller(self) -> Speller:
        return Speller(self._names)

    @cached_property
    def _names(self) -> Mapping[str, dict[str, str]]:
        """Map each name to the same in both languages, the words of terms first."""
        names: dict[str, dict[str, str]] = {}
        by_kind = sorted(self._everything.values(), key=lambda one: one.kind, reverse=True)
        for one in by_kind:
            titles: dict[str, str] = {lang: said.title for lang, said in one.texts.items()}
            in_code = set.intersection(*(set(said.names) for said in one.texts.values()))
            for said in one.texts.values():
                for name in (said.title, *said.names):
                    same = dict.fromkeys(titles, name) if name in in_code else titles
                    names.setdefault(name, dict(same))
        return names


def _order_of_any(match: Match) -> float:
    # Only a question number contains dots.
    return -match.score * (1.0 if "." in match.id else _SCORE_OF_PROBLEMS)
