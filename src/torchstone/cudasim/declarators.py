"""Declaration parser: the type of a declaration, and each declarator."""

from dataclasses import dataclass

from torchstone.cudasim.stream import QUALIFIERS, Stream

_BUILTIN = frozenset(
    """void bool char short int long float double signed unsigned auto wchar_t char8_t char16_t
    char32_t __int128""".split()
)
_CALLS = frozenset(
    """alignas __align__ __builtin_align__ __attribute__ __attribute __declspec decltype __typeof__
    typeof""".split()
)
_PASSIVE = QUALIFIERS | {"thread_local", "typename", "mutable", "register", "typedef"}
_ALIGNMENTS = frozenset(("alignas", "__align__", "__builtin_align__"))
_ALIGNED = _ALIGNMENTS | {"__attribute__", "__attribute"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Declarator:
    """One declared name.

    Attributes:
        first: The first token of the name; a macro may paste a name from several tokens.
        last: The last token of the name.
        initialiser: The position of its ``=``, ``{`` or ``(``; -1 without one.
    """

    first: int
    last: int
    initialiser: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """Declaration of variables.

    Attributes:
        specifiers: The first position of the type, and the position behind it.
        alignments: The first and last position of each ``alignas(...)``.
        is_aligned: Whether an alignment is given, there or behind a name.
        declarators: The declared names.
    """

    specifiers: tuple[int, int]
    alignments: tuple[tuple[int, int], ...]
    is_aligned: bool
    declarators: tuple[Declarator, ...]


def read_declaration(
    stream: Stream, start: int, end: int, passive: frozenset[str]
) -> Declaration | None:
    """Read a declaration between two positions; None if no name is found.

    Args:
        stream: The tokens that contain it.
        start: Its first token.
        end: Its semicolon.
        passive: Macros that expand to qualifiers.
    """
    place, alignments = _skip_specifiers(stream, start, end, passive)
    specifiers = (start, place)
    declarators: list[Declarator] = []
    while place < end:
        found, place = _read_declarator(stream, place, end)
        if found is None:
            return None
        declarators.append(found)
    if not declarators:
        return None
    return Declaration(
        specifiers=specifiers,
        alignments=tuple(alignments),
        is_aligned=any(stream.spelling(k) in _ALIGNED for k in range(start, end)),
        declarators=tuple(declarators),
    )


def _skip_specifiers(
    stream: Stream, place: int, end: int, passive: frozenset[str]
) -> tuple[int, list[tuple[int, int]]]:
    """Return the first position after the type, and the alignments in it."""
    alignments: list[tuple[int, int]] = []
    has_type = False
    while place < end:
        word = stream.spelling(place)
        if word in _CALLS and stream.spelling(place + 1) == "(":
            close = max(stream.partner[place + 1], place + 1)
            if word in _ALIGNMENTS or "aligned" in stream.text(place + 1, close):
                alignments.append((place, close))
            has_type |= word in ("decltype", "__typeof__", "typeof")
            place = close + 1
        elif word in ("struct", "union", "class", "enum"):
            has_type = True
            place = _skip_class(stream, place, end, alignments)
        elif word in _BUILTIN:
            has_type = True
            place += 1
        elif word in _PASSIVE or word in passive:
            place += 1
        elif not has_type and (stream.is_word(place) or word == "::"):
            has_type = True
            place = _skip_name(stream, place, end)
        else:
            break
    return place, alignments


def _skip_class(stream: Stream, place: int, end: int, alignments: list[tuple[int, int]]) -> int:
    place += 1
    while place < end and stream.spelling(place) in _CALLS:
        # An alignment of the class is not one of the variable.
        place = max(stream.partner[place + 1], place + 1) + 1
    if stream.is_word(place) or stream.spelling(place) == "::":
        place = _skip_name(stream, place, end)
    if stream.spelling(place) == ":":
        while place < end and stream.spelling(place) != "{":
            place += 1
    if stream.spelling(place) == "{":
        place = max(stream.partner[place], place) + 1
    return place


def _skip_name(stream: Stream, place: int, end: int) -> int:
    """Return the position after a qualified name with its template arguments."""
    while place < end:
        if stream.spelling(place) in ("::", "template"):
            place += 1
            continue
        place += 1
        while stream.spelling(place) == "##":
            place += 2
        if stream.spelling(place) == "<":
            close = stream.match_angle(place, end)
            place = close + 1 if close > 0 else place
        if stream.spelling(place) != "::":
            break
    return place


def _read_declarator(stream: Stream, place: int, end: int) -> tuple[Declarator | None, int]:
    """Read one declarator; return it and the position after its comma."""
    first = _find_name(stream, place, end)
    if first < 0:
        return None, end
    last = first
    while stream.spelling(last + 1) == "##":
        last += 2
    initialiser = -1
    place = last + 1
    while place < end and stream.spelling(place) != ",":
        word = stream.spelling(place)
        if initialiser < 0 and _is_initialiser(stream, place):
            initialiser = place
        elif word == "<" and initialiser >= 0 and stream.is_word(place - 1):
            place = max(stream.match_angle(place, end), place)
        if word in ("(", "[", "{"):
            place = max(stream.partner[place], place)
        place += 1
    return Declarator(first=first, last=last, initialiser=initialiser), place + 1


def _find_name(stream: Stream, place: int, end: int) -> int:
    """Return the position of the declared name; declarator marks may surround it: ``(*f)(int)``."""
    while place < end and stream.spelling(place) != ",":
        word = stream.spelling(place)
        if word in _CALLS:
            place = max(stream.partner[place + 1], place)
        elif stream.is_word(place) and word not in _PASSIVE:
            return place
        place += 1
    return -1


def _is_initialiser(stream: Stream, place: int) -> bool:
    """Distinguish ``= 1``, ``{1}`` and ``(1)`` from bounds, attributes and function parameters."""
    before = stream.spelling(place - 1)
    if stream.spelling(place) == "(":
        return before not in (")", "]") and before not in _CALLS
    return stream.spelling(place) in ("=", "{")
