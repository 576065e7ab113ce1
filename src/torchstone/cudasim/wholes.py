"""Store an aggregate initializer with one memory access, as a GPU does.

nvcc compiles ``y[i] = float4{a, b, c, d}`` to one store of 16 bytes. g++ stores the four members
one by one, and each store touches as many sectors as the single one. So the aggregate is passed
through a function that returns or takes it as a whole.
"""

from torchstone.cudasim.edits import Edits
from torchstone.cudasim.outline import Outline
from torchstone.cudasim.stream import Stream

# The tokens that may precede a statement.
_BEFORE = frozenset("; { } ) else do :".split())
_CONTROLS = frozenset("if while for switch".split())


def store_wholes(stream: Stream, outline: Outline, edits: Edits) -> None:
    """Rewrite assignments of braced initializers in device functions."""
    for place in range(len(stream)):
        if stream.spelling(place) != "=" or not _is_on_device(outline, place):
            continue
        start = _begin_of_target(stream, place - 1)
        opening = _skip_type(stream, place + 1)
        if start is None or opening is None or stream.spelling(opening) != "{":
            continue
        closing = stream.partner[opening]
        if closing < 0 or stream.alternatives(opening) or stream.spelling(closing + 1) != ";":
            continue
        if opening > place + 1:
            edits.insert_before(stream.tokens[place + 1], "::cusim::whole(")
        else:
            edits.insert_before(stream.tokens[start], "::cusim::assign(")
            edits.replace(stream.tokens[place], ",")
        edits.insert_after(stream.tokens[closing], ")")


def _is_on_device(outline: Outline, place: int) -> bool:
    function = outline.function_at(place)
    return function is not None and bool(function.qualifiers & {"__global__", "__device__"})


def _begin_of_target(stream: Stream, end: int) -> int | None:
    """Return where the target of an assignment begins; None if it is declared there."""
    place = end
    while True:
        spelling = stream.spelling(place)
        if spelling in ("]", ")"):
            place = stream.partner[place] - 1
            is_whole = spelling == ")" and not _goes_on(stream, place)
        elif spelling == ">":
            place = stream.match_angle_back(place) - 1
            is_whole = False
        elif stream.is_word(place):
            place -= 1
            is_whole = stream.spelling(place) not in (".", "->", "::")
            place -= not is_whole
        else:
            return None
        if place < 0:
            return None
        if is_whole:
            break
    while stream.spelling(place) == ")" and not _is_control(stream, place):
        place = stream.partner[place] - 1  # the type of a cast
    while stream.spelling(place) == "*":
        place -= 1
    return place + 1 if stream.spelling(place) in _BEFORE else None


def _goes_on(stream: Stream, place: int) -> bool:
    """Return whether a parenthesis belongs to a call or to the base of a subscript."""
    before = stream.spelling(place)
    return (stream.is_word(place) and before not in _CONTROLS) or before in ("]", ")", ">")


def _is_control(stream: Stream, place: int) -> bool:
    return stream.spelling(stream.partner[place] - 1) in _CONTROLS


def _skip_type(stream: Stream, place: int) -> int | None:
    """Return the position after a type name, if there is one."""
    if not stream.is_word(place):
        return place
    while stream.is_word(place):
        place += 1
        if stream.spelling(place) == "<":
            place = stream.match_angle(place, len(stream)) + 1
            if place == 0:
                return None
        if stream.spelling(place) != "::":
            return place
        place += 1
    return None
