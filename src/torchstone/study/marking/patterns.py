r"""Grammar and compilation of the patterns of key points and misconceptions.

A pattern is a sequence of slots joined by `` & ``; a slot is a set of alternatives joined by ``|``,
each a regular expression. ``{term}`` stands for every form of a glossary term, ``<family>`` for the
words of a family of ``phrases.toml``. ``@name`` requires a subject of the clause, ``no:x`` a
negated x; ``no:`` also applies to later alternatives, unless they are outside its brackets. ``!x``
requires that x does not occur. ``\@`` is a literal ``@``.
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
# ``^`` and ``$`` match the clause boundaries, because each clause is a line of the text.
_FLAGS = re.I | re.A | re.M
# Word boundaries: no letter, or a capital within a name as in MaxUnpool.
_LEFT = r"(?-i:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z]))"
_RIGHT = r"(?-i:(?![A-Za-z])|(?<=[a-z])(?=[A-Z]))"
_STRICT_LEFT, _STRICT_RIGHT = r"(?<![A-Za-z])", r"(?![A-Za-z])"
_ENDING = r"(?:e?s|e?d|ing|'s)?"
# Number of word slots. Among single matches in answers written without the patterns, wordings with
# one slot were wrong in 20 of 100 cases, those with two in 8, those with three in none.
_TELLING = 3
# Cache size above the number of patterns, so that each is compiled once per process.
_KEPT = 30_000


class Kind(Enum):
    """Kind of a slot's condition."""

    SUBJECT = auto()
    WORDS = auto()
    ABSENT = auto()


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """Slot of a pattern.

    Args:
        subjects: For SUBJECT, the allowed subjects of the clause.
        plain: Matches if it occurs; for ABSENT, the expression that must not occur.
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
        anchor: Last word slot, which must match in the clause itself.
        num_slots: Number of word slots.
        is_telling: Whether the pattern has three word slots or a negation, so that chance matches
            are rare.
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
    """Compile alternatives to one case-insensitive expression, with word boundaries and endings.

    Raises:
        ValueError: The result is not a valid regular expression.
    """
    return _compile(tuple(split_alternatives(source)), phrases)


def split_alternatives(source: str) -> Iterator[str]:
    """Split at ``|`` outside of brackets; escaped brackets and those in classes do not count."""
    depth, start, place, in_class = 0, 0, 0, False
    while place < len(source):
        char = source[place]
        if char == "\\":
            place += 1
        elif in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
            # A bracket right after the opening bracket of a class is a member of the class.
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
    """Return an alternative with expanded terms and families, word boundaries and gaps.

    A word that must be absent is matched strictly: the word itself, and no part of a name.
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
    # A gap never contains a negation: "view .{0,9} copies" must not match "view never copies".
    written = _GAP.sub(lambda gap: f"(?:(?!{NEGATOR}).){gap[1]}", written)
    return f"{left}(?:{written}){right}"
