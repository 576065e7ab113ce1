"""CUDA attribute macros such as ``__noinline__``, rewritten as compiler attributes."""

from torchstone.cudasim.edits import Edits
from torchstone.cudasim.stream import Stream

_CALLS = frozenset(("__attribute__", "__attribute"))


def spell_attributes(stream: Stream, edits: Edits) -> None:
    """Replace ``__noinline__`` by an attribute.

    ``__noinline__`` cannot be a macro, because the standard library spells
    ``__attribute__((__noinline__))``, as a program may.
    """
    place = 0
    while place < len(stream):
        if stream.spelling(place) in _CALLS and stream.spelling(place + 1) == "(":
            place = max(stream.partner[place + 1], place)
        elif stream.spelling(place) == "__noinline__" and stream.spelling(place - 1) != "::":
            edits.replace(stream.tokens[place], "__attribute__((noinline))")
        place += 1
