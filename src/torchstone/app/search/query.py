"""Query parser of the search: phrases, synonyms and glossary terms."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from torchstone.bank.glossary import Glossary, Term
from torchstone.bank.tokens import (
    Word,
    clean_query,
    han_tokens,
    index_tokens,
    query_words,
    spelling_key,
)
from torchstone.store.search_index import Expression, Phrase

# Stop words. A character that is part of many words is not one.
_EMPTY_WORDS = """
    a an the of to in on for with without and or is are do does how what why when which by it i my
    problem question vs 的 了 吗 呢 与 和 第 题 题目 怎么 怎么办 怎样 如何 什么 什么是 是什么 为什么
    哪些 哪个 多少
"""
# A single letter would match half of all words.
_MIN_PREFIX = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The meaning of a query.

    Args:
        strict: All its terms and words, each under any of its names.
        loose: Any of its terms, words or tokens; used when ``strict`` finds nothing.
        written: All its words as they are written, without other names; a title that contains
            them comes first.
        spoken: The words to mark in a text, as they occur in it.
    """

    strict: Expression
    loose: Expression
    written: Expression
    spoken: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    """Neighbouring words that form a term, or the words between two terms."""

    words: tuple[Word, ...]
    terms: tuple[Term, ...] = ()


def read_query(query: str, glossary: Glossary) -> Reading:
    """Parse a query; a query without words finds nothing.

    The Chinese, English and code names of a term are alternatives. The last word counts as
    incomplete, because the page shows results during typing.
    """
    query = clean_query(query)
    words = query_words(query)
    spans = [span for span in _spans(words, glossary) if not _is_empty(span)]
    # The query "the" alone searches for "the".
    spans = spans or list(_spans(words, glossary))
    clauses = [_clause(span, is_last=span.words[-1] is words[-1]) for span in spans]
    phrases = [phrase for clause in clauses for phrase in clause]
    tokens = [token for token in index_tokens(query) if len(token) > 1 and token not in _empty()]
    phrases += [Phrase(tokens=(token,)) for token in tokens if spans]
    return Reading(
        strict=Expression(clauses=tuple(clauses)),
        loose=Expression(clauses=(_shortest(phrases),), needs_all=False),
        written=Expression(
            clauses=tuple(_own_clause(span, is_last=span.words[-1] is words[-1]) for span in spans)
        ),
        spoken=tuple(dict.fromkeys(name for span in spans for name in _names(span))),
    )


def term_expression(term: Term) -> Expression:
    """Return the expression that finds a term under any of its names."""
    return Expression(clauses=(_shortest(_term_phrases([term])),))


def _spans(words: Sequence[Word], glossary: Glossary) -> Iterator[_Span]:
    start = 0
    while start < len(words):
        stop = _meaningful(words, start, glossary)
        if stop > start:
            key = "".join(word.key for word in words[start:stop])
            yield _Span(words=tuple(words[start:stop]), terms=glossary.meaning(key))
        else:
            stop = start + 1
            while (
                stop < len(words)
                and words[stop].is_glued
                and words[stop].is_han == words[start].is_han
                and _meaningful(words, stop, glossary) == stop
            ):
                stop += 1
            yield _Span(words=tuple(words[start:stop]))
        start = stop


def _meaningful(words: Sequence[Word], start: int, glossary: Glossary) -> int:
    # Find the end of the longest term, or stop word, that starts here; `start` if there is none.
    end, key = start, ""
    for stop in range(start, len(words)):
        key += words[stop].key
        if len(key) > glossary.longest_key:
            break
        if glossary.meaning(key) or key in _empty():
            end = stop + 1
    return end


@cache
def _empty() -> frozenset[str]:
    return frozenset(map(spelling_key, _EMPTY_WORDS.split()))


def _is_empty(span: _Span) -> bool:
    return not span.terms and "".join(word.key for word in span.words) in _empty()


def _clause(span: _Span, *, is_last: bool) -> tuple[Phrase, ...]:
    taught = [Phrase(tokens=(term.token,)) for term in span.terms if term.problems or term.chapters]
    others = [*_term_phrases(span.terms), *_beginning(span, is_last=is_last), *taught]
    return _shortest([*_phrases(span.words), *others])


def _own_clause(span: _Span, *, is_last: bool) -> tuple[Phrase, ...]:
    return (*_phrases(span.words), *_beginning(span, is_last=is_last))


def _beginning(span: _Span, *, is_last: bool) -> tuple[Phrase, ...]:
    beginning = span.words[-1].beginning
    if not is_last or len(beginning) < _MIN_PREFIX:
        return ()
    return (Phrase(tokens=(*_written(span.words[:-1]), beginning), is_prefix=True),)


def _names(span: _Span) -> Iterator[str]:
    yield "".join(_joint(word) + word.text for word in span.words).lstrip(" .")
    for term in span.terms:
        yield from term.forms


def _joint(word: Word) -> str:
    if not word.is_glued:
        return " "
    return "" if word.is_han else "."


def _term_phrases(terms: Sequence[Term]) -> list[Phrase]:
    return [phrase for term in terms for form in term.forms for phrase in _form_phrases(form)]


@cache
def _form_phrases(form: str) -> tuple[Phrase, ...]:
    return _phrases(tuple(query_words(form)))


def _phrases(words: Sequence[Word]) -> tuple[Phrase, ...]:
    if len(words) == 1:
        return tuple(Phrase(tokens=spelling) for spelling in words[0].spellings)
    return (Phrase(tokens=_written(words)),)


def _written(words: Sequence[Word]) -> tuple[str, ...]:
    # The words as they follow each other in a text: Chinese in pairs, compounds in their parts.
    tokens: list[str] = []
    for is_han, group in groupby(words, key=lambda word: word.is_han):
        if is_han:
            tokens += han_tokens("".join(word.text for word in group))
        else:
            tokens += [token for word in group for token in word.spellings[0]]
    return tuple(tokens)


def _shortest(phrases: Sequence[Phrase]) -> tuple[Phrase, ...]:
    # A text that contains a long phrase contains its short parts, and must not count twice.
    unique = list(dict.fromkeys(phrases))
    return tuple(
        phrase
        for phrase in unique
        if not any(other is not phrase and _holds(phrase, other) for other in unique)
    )


def _holds(phrase: Phrase, other: Phrase) -> bool:
    size = len(other.tokens)
    return not (other.is_prefix or phrase.is_prefix) and any(
        phrase.tokens[start : start + size] == other.tokens
        for start in range(len(phrase.tokens) - size + 1)
    )
