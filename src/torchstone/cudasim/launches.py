"""Rewrite launches ``kernel<<<grid, block>>>(arguments)`` as C++."""

from dataclasses import dataclass

from torchstone.cudasim.edits import Edits
from torchstone.cudasim.facts import Facts
from torchstone.cudasim.stream import Stream, is_configuration, opener_width
from torchstone.cudasim.tokens import CudaSyntaxError, Kind
from torchstone.cudasim.words import say

# Words that cannot end an operand: `return k<<<...>>>()`.
_NO_OPERANDS = frozenset(
    """return else do case goto throw new delete co_return co_yield if while for switch sizeof
    typename template const volatile static void auto operator and or not""".split()
)
_STATEMENT_WORDS = frozenset(("if", "while", "for", "switch", "constexpr", "catch"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """Positions of one launch.

    Attributes:
        start: The beginning of the kernel expression.
        opener: The beginning of ``<<<`` (one or two tokens), or the macro for the whole launch.
        config: The positions of the configuration; the end is exclusive.
        end: The end of the launch: its ``)``, or a macro parameter that stands for the arguments
            with their parentheses.
    """

    start: int
    opener: int
    config: tuple[int, int]
    end: int


def find_launches(stream: Stream, facts: Facts, *, name: str) -> list[Launch]:
    """Return the launches of a stream in source order.

    Raises:
        CudaSyntaxError: A ``<<<`` has no kernel before it, no end, or no arguments.
    """
    launches: list[Launch] = []
    if is_configuration(stream):
        return launches
    for place in range(len(stream)):
        width = opener_width(stream, place)
        if width and stream.spelling(place - 1) != "operator":
            launches.append(_read_launch(stream, place, width, name=name))
        elif stream.spelling(place) in facts.configurations:
            launches += _read_configured(stream, place)
    return launches


def rewrite_launches(stream: Stream, facts: Facts, edits: Edits, *, name: str) -> None:
    """Replace each launch by ``::cusim::Configuration(...), kernel(...)``.

    Args:
        stream: The program, or the body of a macro.
        facts: The names and kernels of all files.
        edits: The edits to add to.
        name: The file name for messages.
    """
    if is_configuration(stream):
        for place in (*range(opener_width(stream, 0)), *range(len(stream) - 3, len(stream))):
            edits.replace(stream.tokens[place], "")
    for launch in find_launches(stream, facts, name=name):
        expression = stream.text(launch.start, launch.opener)
        begin, stop = launch.config
        for place in (*range(launch.start, begin), *range(stop, _arguments(launch))):
            edits.replace(stream.tokens[place], "")
        shape = f"CUSIM_NAME({expression}), "
        if _is_entered(stream, launch, facts):
            edits.insert_before(
                stream.tokens[launch.start], f"static_cast<void>(::cusim::Configuration({shape}"
            )
            space = " " if stream.is_word(_arguments(launch)) else ""
            edits.insert_after(stream.tokens[stop - 1], f"), {expression}{space}")
            edits.insert_after(stream.tokens[launch.end], ")")
            continue
        # Pass the arguments through a function, because the kernel has no launch stub.
        edits.insert_before(
            stream.tokens[launch.start], f"[&](auto&&... p_) {{ ::cusim::Launch({shape}"
        )
        call = f"[=](auto&&... a_) {{ {expression}(static_cast<decltype(a_)&&>(a_)...); }}"
        edits.insert_after(
            stream.tokens[stop - 1], f").run({call}, static_cast<decltype(p_)&&>(p_)...); }}"
        )


def _arguments(launch: Launch) -> int:
    """Return the position where the arguments begin."""
    begin, stop = launch.config
    return stop + 3 if begin > launch.opener else stop


def _is_entered(stream: Stream, launch: Launch, facts: Facts) -> bool:
    """Return whether the launched kernel has a launch stub."""
    last = _last_name(stream, launch)
    word = stream.spelling(last) if last >= 0 else ""
    is_known = word in facts.entered and word not in facts.unsure
    return facts.is_complete or (is_known and word not in stream.parameters)


def _read_configured(stream: Stream, place: int) -> list[Launch]:
    """Read ``kernel SHAPE(grid, block)(arguments)``, where a macro stands for the configuration."""
    start = _expression_start(stream, place)
    stop = place + 1
    if stream.spelling(stop) == "(" and stream.spelling(stream.partner[stop] + 1) == "(":
        stop = stream.partner[stop] + 1
    if start < 0 or stream.spelling(stop) != "(" or stream.partner[stop] < 0:
        return []
    config = (place, stop)
    return [Launch(start=start, opener=place, config=config, end=stream.partner[stop])]


def _read_launch(stream: Stream, place: int, width: int, *, name: str) -> Launch:
    start = _expression_start(stream, place)
    if start < 0:
        raise _error(stream, place, say("refusal.launch_of_nothing", "en"), name=name)
    closer = _closer(stream, place + width)
    if closer < 0:
        raise _error(stream, place, say("refusal.launch_unclosed", "en"), name=name)
    if closer == place + width:
        raise _error(stream, place, say("refusal.launch_without_grid", "en"), name=name)
    end = closer + 3
    if stream.spelling(end) == "(":
        end = stream.partner[end]
        if end < 0:
            raise _error(stream, closer + 3, say("refusal.launch_arguments", "en"), name=name)
    return Launch(start=start, opener=place, config=(place + width, closer), end=end)


def _closer(stream: Stream, place: int) -> int:
    """Return the position of the ``>>>`` of a launch whose configuration begins here, or -1."""
    while place < len(stream):
        spelling = stream.spelling(place)
        if spelling in ("(", "[", "{"):
            if stream.partner[place] < 0:
                return -1
            place = stream.partner[place]
        elif spelling in (")", "]", "}", ";"):
            return -1
        elif spelling == ">":
            stop = place
            while stream.spelling(stop) == ">":
                stop += 1
            if stop - place >= 3 and _takes_arguments(stream, stop):
                return stop - 3
            place = stop - 1
        place += 1
    return -1


def _takes_arguments(stream: Stream, place: int) -> bool:
    return stream.spelling(place) == "(" or stream.spelling(place) in stream.parameters


def _expression_start(stream: Stream, opener: int) -> int:
    """Return the beginning of the expression that ends before ``<<<``, or -1."""
    place = _primary_start(stream, opener - 1)
    while place > 0:
        before = stream.spelling(place - 1)
        if before in (".", "->"):
            place = _primary_start(stream, place - 2)
        elif before == "template" and stream.spelling(place - 2) in ("::", ".", "->"):
            place -= 1
        elif before == "::":
            place = _scope_start(stream, place - 1)
        elif before == "##":
            place = _primary_start(stream, place - 2)
        else:
            break
    return place


def _scope_start(stream: Stream, colons: int) -> int:
    """Return the beginning of the name before ``::``, or the position of a global ``::``."""
    before = colons - 1
    if stream.spelling(before) == ">":
        before = stream.match_angle_back(before) - 1
    if stream.is_word(before) and stream.spelling(before) not in _NO_OPERANDS:
        return before
    return colons


def _primary_start(stream: Stream, place: int) -> int:
    """Return the beginning of the name, call, index or parenthesis that ends here, or -1."""
    spelling = stream.spelling(place)
    if spelling == ">":
        angle = stream.match_angle_back(place)
        return _primary_start(stream, angle - 1) if angle > 0 else -1
    if spelling in (")", "]"):
        begin = stream.partner[place]
        if begin < 0:
            return -1
        if spelling == "(" or not _is_operand(stream, begin - 1):
            return begin if spelling == ")" else -1
        return _expression_start(stream, begin)
    if stream.is_word(place) and spelling not in _NO_OPERANDS:
        return place
    return -1


def _is_operand(stream: Stream, place: int) -> bool:
    """Return whether the expression that ends here is called or indexed by the bracket after it."""
    spelling = stream.spelling(place)
    if stream.is_word(place):
        return spelling not in _NO_OPERANDS and spelling not in _STATEMENT_WORDS
    if spelling == ")":
        begin = stream.partner[place]
        return begin >= 0 and stream.spelling(begin - 1) not in _STATEMENT_WORDS
    return spelling in ("]", ">")


def _last_name(stream: Stream, launch: Launch) -> int:
    """Return the position of the last word of a qualified name, or -1."""
    end = launch.opener - 1
    if stream.spelling(end) == ">":
        end = stream.match_angle_back(end) - 1
    if not stream.is_word(end):
        return -1
    for place in range(launch.start, end):
        if stream.spelling(place) in (".", "->", "(", "["):
            return -1
    return end


def _error(stream: Stream, place: int, message: str, *, name: str) -> CudaSyntaxError:
    token = stream.tokens[place]
    assert token.kind is Kind.MARK, "launch errors point at a mark"
    return CudaSyntaxError(message, name=name, line=token.line, column=token.column)
