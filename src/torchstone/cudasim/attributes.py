"""CUDA attribute macros such as ``__noinline__``, rewritten as compiler attributes."""

from torchstone.cudasim.edits import Edits
from torchstone.cudasim.stream import Stream

_CALLS = frozenset(("__attribute__", "__attribute"))


def spell_attributes(stream: Stream, edits: Edits) -> None:
    """Turn ``__noinline__`` into an attribute.

    The standard library says ``__attribute__((__noinline__))``: with a macro of that name it would
    not compile. A program may say so, too.
    """
    place = 0
    while place < len(stream):
        if stream.spelling(place) in _CALLS and stream.spelling(place + 1) == "(":
            place = max(stream.partner[place + 1], place)
        elif stream.spelling(place) == "__noinline__" and stream.spelling(place - 1) != "::":
            edits.replace(stream.tokens[place], "__attribute__((noinline))")
        place += 1
