"""Matches of a query by kind, and their shares of a list."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from torchstone.store.search_index import Match, Matches

# Share of a full list that is reserved for terms.
_TERM_SHARE = 4
# Share for chapters, which contain all words of many queries.
_CHAPTER_SHARE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Matches of a query, by kind.

    Args:
        is_strict: Whether it matches all words of the query.
    """

    problems: Matches
    questions: Matches
    terms: Matches
    is_strict: bool
    chapters: Matches = field(default_factory=lambda: Matches(total=0, matches=()))

    @property
    def total(self) -> int:
        """Count all matches but the chapters, whose long texts match almost any query."""
        return self.problems.total + self.questions.total + self.terms.total

    def shown(self, limit: int) -> tuple[Sequence[Match], ...]:
        """Return the matches of each kind that fit in a list.

        In a full list an eighth are chapters, a quarter of the rest are terms, and half of the
        remainder are questions.
        """
        problems, questions, terms, chapters = (
            found.matches for found in (self.problems, self.questions, self.terms, self.chapters)
        )
        most = max(limit // _CHAPTER_SHARE, limit - len(problems) - len(questions) - len(terms))
        chapters = chapters[:most]
        limit -= len(chapters)
        terms = terms[: max(limit // _TERM_SHARE, limit - len(problems) - len(questions))]
        rest = limit - len(terms)
        questions = questions[: max(rest // 2, rest - len(problems))]
        return problems[: rest - len(questions)], questions, terms, chapters
