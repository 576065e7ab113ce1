"""Parsed answer: its clauses, and the positions of pattern words in them."""

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum

from torchstone.study.marking.clauses import Clause, Subjects, split_clauses
from torchstone.study.marking.guards import is_echo, is_word_list
from torchstone.study.marking.negation import denied_spans, find_negators
from torchstone.study.marking.normal import HAN, Normal
from torchstone.study.marking.patterns import Kind, Pattern, Slot

Span = tuple[int, int]
# Characters without effect on a Chinese sentence: measure words, particles, and blanks around Latin
# names. The blank before a negation is kept, because otherwise it would merge with a name.
_FILLERS = re.compile(
    "一(?:个|份|种|块|条|张|次性)|[这那](?:个|些|种)|[的了地个所]|就(?!是)"
    "|[都也还](?=会|是|能|要|在|有)"
    rf"|(?<=[{HAN}]) +|(?<=[A-Za-z0-9_)]) +(?=[{HAN}])(?!并|不|没|无|未|非)"
)


# "If it copies, ..." does not state that it copies.
_CONDITION = re.compile(
    r"\s*(?:(?:and|or|but|so|then) )?(?:if|when|whenever|unless|once)\b"
    r"|\s*(?:如果|若|当|一旦|假如|除非|要是)",
    re.I | re.A,
)


class Refusal(StrEnum):
    """Reason why a whole answer earns nothing."""

    EMPTY = "empty"
    LIST_OF_WORDS = "list_of_words"
    QUESTION_BACK = "question_back"
    TOO_LONG = "too_long"


class Reading:
    """Answer under evaluation: its clauses, and the cached matches of each slot."""

    def __init__(self, normal: Normal, subjects: Subjects) -> None:
        self._normal = normal
        self.clauses = split_clauses(normal, subjects)
        self._lines = _one_a_line(normal.text, self.clauses)
        self._dense, self._places = _without_fillers(self._lines)
        self._negators = find_negators(normal.text)
        self.void: set[int] = set()
        self._hits: dict[Slot, dict[int, list[Span]]] = {}
        self._denied = denied_spans(normal.text, self._sentences())

    def refuse(self, questions: Iterable[str]) -> Refusal | None:
        """Discard the sentences that state nothing; return the reason if none is left."""
        if not self.clauses:
            return Refusal.EMPTY
        asked = tuple(questions)
        reason = Refusal.QUESTION_BACK
        for start, end in self._sentences():
            sentence = self._normal.text[start:end]
            mine = [i for i, c in enumerate(self.clauses) if c.start >= start and c.end <= end]
            if is_word_list(sentence):
                reason = Refusal.LIST_OF_WORDS
            elif not is_echo(sentence, asked) and not self.clauses[mine[0]].asks:
                continue
            self.void.update(mine)
        return reason if len(self.void) == len(self.clauses) else None

    def touches(self, pattern: Pattern) -> Iterator[int]:
        """Return the clauses that state a key point: the anchor within, other words nearby."""
        for index in self._hit(pattern.anchor):
            if index in self.void:
                continue
            near = self._near(index)
            if all(self._meets(slot, index, near) for slot in pattern.slots):
                if not self._is_denied_at(pattern.anchor, index):
                    yield index

    def is_condition(self, pattern: Pattern, index: int) -> bool:
        """Return whether a clause with all words of a pattern only sets up the next one."""
        clause, after = self.clauses[index], self.clauses[index + 1 : index + 2]
        if not after or after[0].sentence != clause.sentence:
            return False
        return self.is_whole(pattern, index) and (
            _CONDITION.match(self._normal.text, clause.start, clause.end) is not None
        )

    def is_whole(self, pattern: Pattern, index: int) -> bool:
        """Return whether a clause contains all words of a pattern."""
        words = (slot for slot in pattern.slots if slot.kind is Kind.WORDS)
        return all(index in self._hit(slot) for slot in words)

    def states(self, pattern: Pattern) -> int | None:
        """Return the clause that states a misconception: with all words, and nothing negated."""
        for index in self._hit(pattern.anchor):
            if index in self.void or self._is_denied(index):
                continue
            whole = (index - 1, index) if self._is_framed(index) else (index,)
            if all(self._meets(slot, index, whole) for slot in pattern.slots):
                if not self._is_negated(pattern, whole):
                    return index
        return None

    def span(self, index: int) -> Span:
        """Return the span of a clause in the original answer."""
        clause, origin = self.clauses[index], self._normal.origin
        text = self._normal.text[clause.start : clause.end]
        start = clause.start + len(text) - len(text.lstrip())
        end = clause.start + len(text.rstrip())
        # One character of the answer may become several in the normal form.
        return origin[start], origin[end - 1] + 1

    def words(self, index: int) -> tuple[str, str]:
        """Return the text of a clause, and of its sentence."""
        clause, text = self.clauses[index], self._normal.text
        start, end = next(
            (start, end) for start, end in self._sentences() if start <= clause.start < end
        )
        return text[clause.start : clause.end], text[start:end]

    def _sentences(self) -> tuple[Span, ...]:
        spans: dict[int, Span] = {}
        for clause in self.clauses:
            start, _ = spans.get(clause.sentence, (clause.start, 0))
            spans[clause.sentence] = (start, clause.end)
        return tuple(spans.values())

    def _is_denied(self, index: int) -> bool:
        clause = self.clauses[index]
        return any(start <= clause.start < end for start, end in self._denied)

    def _is_denied_at(self, anchor: Slot, index: int) -> bool:
        """Return whether each anchor match is directly negated, or dismissed as useless."""
        spans = self._hit(anchor)[index]
        return all(
            not self._negators.num_within(start, end)
            and (self._negators.stands_before(start) or self._negators.is_dismissed(end))
            for start, end in spans
        )

    def _is_framed(self, index: int) -> bool:
        if index == 0:
            return False
        before = self.clauses[index - 1]
        return before.frame and before.sentence == self.clauses[index].sentence

    def _near(self, index: int) -> tuple[int, ...]:
        number = self.clauses[index].sentence
        return tuple(
            i
            for i in (index, index - 1, index + 1)
            if 0 <= i < len(self.clauses) and self.clauses[i].sentence == number
        )

    def _meets(self, slot: Slot, index: int, near: tuple[int, ...]) -> bool:
        if slot.kind is Kind.SUBJECT:
            return bool(slot.subjects & self.clauses[index].subjects)
        hits = self._hit(slot)
        if slot.kind is Kind.ABSENT:
            return index not in hits
        return any(i in hits for i in near)

    def _is_negated(self, pattern: Pattern, whole: tuple[int, ...]) -> bool:
        """Return whether the words of a pattern are negated, other than the pattern requires."""
        asked, last = 0, 0
        for slot in pattern.slots:
            if slot.kind is Kind.WORDS:
                spans = [span for index in whole for span in self._hit(slot).get(index, ())]
                last = max(last, *(end for _, end in spans))
                asked += max(self._negators.num_within(start, end) for start, end in spans)
        return self._negators.num_between(self.clauses[whole[0]].start, last) > asked

    def _hit(self, slot: Slot) -> dict[int, list[Span]]:
        """Return the matches of a slot by clause; a negated word includes its negation."""
        if slot not in self._hits:
            found: dict[int, list[Span]] = {}
            for (start, end), negated in self._matches(slot):
                index = self._clause_at(start)
                if index is None or end > self.clauses[index].end:
                    continue
                clause = self.clauses[index]
                if not negated:
                    found.setdefault(index, []).append((start, end))
                elif (by := self._negators.before(start, since=clause.start)) is not None:
                    found.setdefault(index, []).append((by, end))
            self._hits[slot] = dict(sorted(found.items()))
        return self._hits[slot]

    def _matches(self, slot: Slot) -> Iterable[tuple[Span, bool]]:
        for words, negated in ((slot.plain, False), (slot.negated, True)):
            if words is None:
                continue
            yield from ((match.span(), negated) for match in words.finditer(self._lines))
            if slot.kind is Kind.WORDS and self._dense:
                for match in words.finditer(self._dense):
                    start, end = match.span()
                    yield (self._places[start], self._places[end - 1] + 1), negated

    def _clause_at(self, place: int) -> int | None:
        for index, clause in enumerate(self.clauses):
            if clause.start <= place < clause.end:
                return index
        return None


def _without_fillers(text: str) -> tuple[str, tuple[int, ...]]:
    """Return a text without fillers, and the original positions; empty if there are none."""
    kept: list[int] = []
    end = 0
    for filler in _FILLERS.finditer(text):
        kept.extend(range(end, filler.start()))
        end = filler.end()
    if not end:
        return "", ()
    kept.extend(range(end, len(text)))
    return "".join(text[place] for place in kept), tuple(kept)


def _one_a_line(text: str, clauses: Iterable[Clause]) -> str:
    """Return the text with each clause on its own line, positions unchanged."""
    chars = [*text, "\n"]
    for clause in clauses:
        chars[clause.end] = "\n"
        if clause.start > 0:
            chars[clause.start - 1] = "\n"
    return "".join(chars)
