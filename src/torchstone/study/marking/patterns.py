r"""Patterns of key points and misconceptions: their grammar, and how they are compiled.

A pattern is slots joined by `` & ``; a slot is alternatives joined by ``|``, each a regular
expression. ``{term}`` stands for every form of a term of the glossary, ``<family>`` for the words
of a family of ``phrases.toml``. ``@name`` asks for the subject of the clause, ``no:x`` for a
negated x; ``no:`` governs the alternatives after it as well, unless they are outside its brackets.
``!x`` asks that x does not occur. ``\@`` is the sign itself.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from torchstone.study.marking.negation import NEGATOR
from torchstone.study.marking.normal import HAN
from torchstone.study.marking.phrases import Phrases

_TERM = re.compile(r"(?<!\\)\{([^}0-9,][^}]*)\}")
_FAMILY = re.compile(r"(?<![?(\\P])<([a-z][a-z0-9 -]*)>")
_GAP = re.compile(r"(?<!\\)\.(\{\d*,?\d*\}|\*\??|\+\??)")
# ``^`` and ``$`` are the edges of a clause, which is a line of what is searched.
_FLAGS = re.I | re.A | re.M
# Before and after a word: no letter, or the hump of a name as in MaxUnpool.
_LEFT = r"(?-i:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z]))"
_RIGHT = r"(?-i:(?![A-Za-z])|(?<=[a-z])(?=[A-Z]))"
_STRICT_LEFT, _STRICT_RIGHT = r"(?<![A-Za-z])", r"(?![A-Za-z])"
_ENDING = r"(?:e?s|e?d|ing|'s)?"
# Slots of words. Of the wordings that were met alone in answers written without the patterns, those
# of one slot were wrong in 20 of 100, those of two in 8, those of three in none.
_TELLING = 3
# More than all questions have, so each pattern is compiled once in a process.
_KEPT = 30_000


class Kind(Enum):
    """What a slot asks of a clause."""

    SUBJECT = auto()
    WORDS = auto()
    ABSENT = auto()


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """One slot of a pattern.

    Args:
        subjects: The names of which one must be the clause's subject, for SUBJECT.
        plain: Matches if it occurs; for ABSENT, what must not occur.
        negated: Matches if it occurs and is negated.
    """

    kind: Kind
    subjects: frozenset[str] = frozenset()
    plain: re.Pattern[str] | None = None
    negated: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A compiled pattern.

    Args:
        anchor: The last slot of words, which must stand in the clause itself.
        num_slots: How many slots of words it has.
        is_telling: Whether it asks for so much, three things or a negation, that it is rarely met
            by chance.
    """

    slots: tuple[Slot, ...]
    anchor: Slot
    num_slots: int
    is_telling: bool


@lru_cache(_KEPT)
def compile_pattern(source: str, phrases: Phrases) -> Pattern:
    """Compile a pattern, once for each set of phrases.

    Raises:
        ValueError: The pattern has no slot of words, or a part of it is no regular expression.
    """
    slots = tuple(_compile_slot(part.strip(), phrases) for part in source.split(" & "))
    words = [slot for slot in slots if slot.kind is Kind.WORDS]
    if not words:
        raise ValueError(f"a pattern must have a slot of words; got {source!r}")
    is_telling = len(words) >= _TELLING or any(slot.negated for slot in words)
    return Pattern(slots=slots, anchor=words[-1], num_slots=len(words), is_telling=is_telling)


@lru_cache(_KEPT)
def compile_words(source: str, phrases: Phrases) -> re.Pattern[str]:
    """Compile alternatives to one expression, with word edges and endings; case does not count.

    Raises:
        ValueError: It is no regular expression.
    """
    return _compile(tuple(split_alternatives(source)), phrases)


def split_alternatives(source: str) -> Iterator[str]:
    """Split at ``|`` outside brackets; what is escaped or in a class counts as no bracket."""
    depth, start, place, in_class = 0, 0, 0, False
    while place < len(source):
        char = source[place]
        if char == "\\":
            place += 1
        elif in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
            # A bracket right after the opening one is a member of the class.
            place += len(re.match(r"\^?\]?", source[place + 1 :])[0])  # type: ignore[index]
        elif char in "()":
            depth += 1 if char == "(" else -1
        elif char == "|" and depth == 0:
            yield source[start:place]
            start = place + 1
        place += 1
    yield source[start:]


def _compile_slot(source: str, phrases: Phrases) -> Slot:
    if source.startswith("@"):
        names = frozenset(name.strip().removeprefix("@") for name in source.split("|"))
        return Slot(Kind.SUBJECT, subjects=names)
    absent = source.startswith("!")
    plain, negated = _by_negation(source.removeprefix("!"))
    return Slot(
        Kind.ABSENT if absent else Kind.WORDS,
        plain=_compile(plain, phrases, widen=not absent) if plain else None,
        negated=_compile(negated, phrases, widen=not absent) if negated else None,
    )


def _by_negation(source: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    plain: list[str] = []
    negated: list[str] = []
    governs = False
    for part in split_alternatives(source):
        if part.startswith("no:"):
            governs = not part.startswith("no:(")
            negated.append(part.removeprefix("no:"))
        else:
            (negated if governs else plain).append(part)
    return tuple(plain), tuple(negated)


def _compile(
    alternatives: tuple[str, ...], phrases: Phrases, *, widen: bool = True
) -> re.Pattern[str]:
    body = "|".join(_edged(part, phrases, is_lenient=widen) for part in alternatives)
    try:
        compiled = re.compile(body, _FLAGS)
    except re.error as error:
        raise ValueError(f"{'|'.join(alternatives)!r} is no pattern: {error}") from error
    if widen and (more := phrases.wider(compiled)):
        compiled = re.compile(f"{body}|{more}", _FLAGS)
    return compiled


def _edged(part: str, phrases: Phrases, *, is_lenient: bool) -> str:
    """Return an alternative with its terms and families written out, its edges and its gaps.

    What must be absent is lenient about nothing: the word itself, and no part of a name.
    """
    has_han = re.search(f"[{HAN}]", part) is not None
    before, after = (_LEFT, _ENDING) if is_lenient else (_STRICT_LEFT, "")
    left = before if re.match(r"[A-Za-z(\[]", part) and not has_han and part != "n't" else ""
    last_word = re.search(r"[A-Za-z]+$", part)
    right = ""
    if last_word and not part.endswith(("\\b", "\\w", "\\s", "\\d")):
        edge = _RIGHT if is_lenient else _STRICT_RIGHT
        right = (after if len(last_word[0]) >= 3 else "") + edge
    spread = phrases.spread(part) if is_lenient else part
    written = _TERM.sub(lambda term: phrases.term(term[1]), spread)
    written = _FAMILY.sub(lambda family: phrases.family(family[1]), written)
    # A gap never hides a negation: "view .{0,9} copies" is not "view never copies".
    written = _GAP.sub(lambda gap: f"(?:(?!{NEGATOR}).){gap[1]}", written)
    return f"{left}(?:{written}){right}"
