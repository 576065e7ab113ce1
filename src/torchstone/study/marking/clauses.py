"""Split an answer into sentences and clauses, and assign a subject to each clause."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from torchstone.study.marking.normal import HAN, Normal

_FULL_STOPS = "\n。"
_SENTENCE = re.compile(r"\n|。|[!?]+|\.(?=[\s\"')]|$)")
# Before a full stop that does not end a sentence: an abbreviation, or a list number.
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|vs|cf|resp|approx|fig|eq|no)$|(?:^|\n)\s*\d{1,2}$", re.I
)
_CLAUSE = re.compile(
    r"[,;:]|\s[-\u2013]\s|\u2014+"
    r"|\b(?:but|whereas|while|however|although|though)\b"
    r"|而(?=\s*[A-Za-z])|但是|(?<!不)但|然而|(?<![通超绕越只])不过(?!是)",
    re.I | re.A,
)
_EVERYONE = re.compile(r"\b(?:both|either|neither|they|all)\b|两者|二者|都|它们|均", re.I | re.A)
_AND = re.compile(r"[\s()（）.]*(?:and|or|,|/|和|与|、|或|跟)[\s.]*", re.I)
_PRONOUN = re.compile(r"\s*(?:it|its|this|that)\b|\s*[它这其]", re.I | re.A)
_FORMER = re.compile(r"\bthe former\b|前者", re.I)
_LATTER = re.compile(r"\bthe latter\b|后者", re.I)
# A subordinate clause that introduces the next one.
_FRAME = re.compile(
    r"\s*(?:if|when|whenever|once|after|with|by|in|under|unless|until|as soon as|for|on)\b"
    rf"|\s*(?:只要|只有|如果|若|当|一旦|对|在|除非|即使|假如|调用|用|使用)|[{HAN}A-Za-z()_\s]{{0,24}}"
    r"(?:时|时候|之后|以后|后|里|中|下)\s*$",
    re.I,
)
_ASIDE = re.compile(
    r"\s*(?:too|also|however|for example|in general|usually|by default|in fact|of course|then|so"
    r"|in practice|as well|其实|一般|通常|默认|默认情况下|例如|比如|实际上|所以|因此|也就是说)\s*",
    re.I,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A clause of an answer.

    Args:
        start: Index of the first character in the normal form; ``end`` is exclusive.
        sentence: Index of its sentence.
        subjects: Names of its subjects.
        asks: Whether its sentence ends in a question mark, so that it states nothing.
        frame: Whether it only introduces the next clause: "If the sizes differ, ..."
    """

    start: int
    end: int
    sentence: int
    subjects: frozenset[str]
    asks: bool
    frame: bool


class Subjects:
    """Possible subjects of a question, and the patterns that name them.

    Args:
        patterns: Name -> compiled pattern, in the order of the question.
    """

    def __init__(self, patterns: Mapping[str, re.Pattern[str]]) -> None:
        self.patterns = patterns
        self.everyone = frozenset(patterns)
        self.at_first = self.everyone if len(patterns) == 1 else frozenset()

    def of(self, clause: str, before: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
        """Return the subjects of a clause, and the default subjects of the next one."""
        if not self.patterns:
            return frozenset(), frozenset()
        named = self._named(clause)
        if named and not (before and _PRONOUN.match(clause)):
            return named, named
        if not named and _EVERYONE.search(clause):
            return self.everyone, self.everyone
        return before, before

    def _named(self, clause: str) -> frozenset[str]:
        found = [(m.start(), m.end(), name) for name, m in self._first(clause)]
        if not found and len(self.patterns) == 2:
            first, second = self.patterns
            found = [(0, 0, first)] if _FORMER.search(clause) else []
            found += [(0, 0, second)] if _LATTER.search(clause) else []
            return frozenset(name for _, _, name in found)
        found.sort()
        named = {name for _, _, name in found[:1]}
        for (_, end, _), (start, _, name) in pairwise(found):
            if not _AND.fullmatch(clause[end:start]):
                break
            named.add(name)
        return frozenset(named)

    def _first(self, clause: str) -> Iterator[tuple[str, re.Match[str]]]:
        for name, pattern in self.patterns.items():
            if match := pattern.search(clause):
                yield name, match


def split_clauses(normal: Normal, subjects: Subjects) -> tuple[Clause, ...]:
    """Split an answer into clauses, and assign subjects to each.

    A clause without a subject takes that of the previous clause, also across sentences. Code and
    numbers are never split.
    """
    clauses: list[Clause] = []
    about = subjects.at_first
    for number, (start, end, asks) in enumerate(_sentences(normal)):
        for begin, stop in _merge_asides(normal.text, list(_clauses(normal, start, end))):
            text = normal.text[begin:stop]
            own, about = subjects.of(text, about)
            clauses.append(
                Clause(
                    start=begin,
                    end=stop,
                    sentence=number,
                    subjects=own,
                    asks=asks,
                    frame=_FRAME.match(text) is not None,
                )
            )
    return tuple(clauses)


def _sentences(normal: Normal) -> Iterator[tuple[int, int, bool]]:
    start = 0
    for match in _SENTENCE.finditer(normal.text):
        if _is_inner(normal, match):
            continue
        yield start, match.start(), "?" in match[0]
        start = match.end()
    yield start, len(normal.text), False


def _is_inner(normal: Normal, match: re.Match[str]) -> bool:
    place, text = match.start(), normal.text
    if text[place] in _FULL_STOPS:
        return False
    if normal.code[place]:
        return True
    if text[place] == ".":
        return _ABBREVIATION.search(text[max(0, place - 8) : place]) is not None
    return not normal.wide[place] and not _opens(text, match.end())


def _clauses(normal: Normal, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in _CLAUSE.finditer(normal.text, start, end):
        place = match.start()
        if match[0] in ",;:" and not normal.wide[place]:
            if normal.code[place] or not _opens(normal.text, match.end()):
                continue
        elif normal.code[place]:
            continue
        if normal.text[start:place].strip():
            yield start, place
        start = match.end()
    if normal.text[start:end].strip():
        yield start, end


def _opens(text: str, place: int) -> bool:
    """Return whether the text at a position can follow a clause separator."""
    return place >= len(text) or re.match(rf"[\s\"'){HAN}]", text[place]) is not None


def _merge_asides(text: str, clauses: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Merge a parenthetical clause such as ", too," with the clauses before and after it."""
    joined: list[tuple[int, int]] = []
    opens = False
    for start, end in clauses:
        is_aside = _ASIDE.fullmatch(text, start, end) is not None
        if joined and (opens or (is_aside and len(clauses) > 1)):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
        opens = is_aside
    yield from joined
