"""Turn ``kernel<<<grid, block>>>(arguments)`` into C++."""

from dataclasses import dataclass

from torchstone.cudasim.edits import Edits
from torchstone.cudasim.facts import Facts, split_commas
from torchstone.cudasim.outline import Function, Outline
from torchstone.cudasim.stream import Stream
from torchstone.cudasim.tokens import CudaSyntaxError, Kind

# Words after which an expression begins: `return k<<<...>>>()`.
_NO_OPERANDS = frozenset(
    """return else do case goto throw new delete co_return co_yield if while for switch sizeof
    typename template const volatile static void auto operator and or not""".split()
)
_STATEMENT_WORDS = frozenset(("if", "while", "for", "switch", "constexpr", "catch"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """Hold the places of one launch.

    Attributes:
        start: Where the kernel's expression begins.
        opener: Where ``<<<`` begins; it may be two tokens.
        config: Where the configuration begins.
        closer: Where ``>>>`` begins.
        arguments: Places of the parentheses around the arguments; (-1, -1) where a macro's
            parameter brings them along.
    """

    start: int
    opener: int
    config: int
    closer: int
    arguments: tuple[int, int]


def find_launches(stream: Stream, *, name: str) -> list[Launch]:
    """Return the launches of a stream in their order.

    Raises:
        CudaSyntaxError: A ``<<<`` has no kernel before it, no end, or no arguments.
    """
    launches: list[Launch] = []
    for place in range(len(stream)):
        width = opener_width(stream, place)
        if width and stream.spelling(place - 1) != "operator":
            launches.append(_read_launch(stream, place, width, name=name))
    return launches


def rewrite_launches(
    stream: Stream, outline: Outline | None, facts: Facts, edits: Edits, *, name: str
) -> None:
    """Put ``::cusim::Launch(...).run(...)`` in place of each launch.

    Args:
        stream: The program, or the body of a macro.
        outline: Where functions stand in the stream; None for the body of a macro.
        facts: Which names are kernels.
        edits: Takes the changes.
        name: The file, for messages.
    """
    for launch in find_launches(stream, name=name):
        function = outline.function_at(launch.start) if outline is not None else None
        expression = stream.text(launch.start, launch.opener)
        callee, is_call = _callee(stream, launch, function, facts, bool(outline))
        edits.replace(stream.tokens[launch.start], f"::cusim::Launch(CUSIM_NAME({expression}), ")
        for place in range(launch.start + 1, launch.config):
            edits.replace(stream.tokens[place], "")
        for place in range(launch.closer, launch.closer + 3):
            edits.replace(stream.tokens[place], ")" if place == launch.closer else "")
        _rewrite_arguments(stream, launch, callee, is_call, edits)


def _rewrite_arguments(
    stream: Stream, launch: Launch, callee: str, is_call: bool, edits: Edits
) -> None:
    begin, end = launch.arguments
    if _are_unknown(stream, launch):
        # They may be none, and the comma after the kernel must go with them. So the launch is
        # the body of a function that is called with whatever they are.
        edits.insert_before(stream.tokens[launch.start], "[&](auto&&... p_) { ")
        edits.insert_after(
            stream.tokens[launch.closer + 2],
            f".run({callee}, static_cast<decltype(p_)&&>(p_)...); }}",
        )
        return
    first = stream.tokens[begin]
    if end == begin + 1:
        edits.replace(first, f".run({callee}")
    elif stream.spelling(begin + 1) == "__VA_ARGS__":
        edits.replace(first, f".run({callee} __VA_OPT__(,) ")
    else:
        edits.replace(first, f".run({callee}, ")
    if is_call:
        # Through a generic lambda NULL would arrive as an integer.
        for start, stop in split_commas(stream, begin + 1, end):
            if stop == start + 1 and stream.spelling(start) == "NULL":
                edits.replace(stream.tokens[start], "nullptr")


def _are_unknown(stream: Stream, launch: Launch) -> bool:
    """Tell whether one parameter of a macro holds all arguments, with parentheses or without."""
    begin, end = launch.arguments
    if begin < 0:
        return True
    word = stream.spelling(begin + 1)
    return end == begin + 2 and word in stream.parameters and word != "__VA_ARGS__"


def opener_width(stream: Stream, place: int) -> int:
    """Return how many tokens ``<<<`` takes here; editors like to write ``<< <``."""
    spelling = stream.spelling(place)
    if spelling == "<<<":
        return 1
    return 2 if spelling == "<<" and stream.spelling(place + 1) == "<" else 0


def _read_launch(stream: Stream, place: int, width: int, *, name: str) -> Launch:
    start = _expression_start(stream, place)
    if start < 0:
        raise _error(
            stream,
            place,
            "a launch configuration without a kernel before it; "
            "write kernel<<<grid, block>>>(arguments) in one place, not split over macros",
            name=name,
        )
    closer = _closer(stream, place + width)
    if closer < 0:
        raise _error(
            stream,
            place,
            "'<<<' without '>>>(' after it; write kernel<<<grid, block>>>(arguments)",
            name=name,
        )
    if closer == place + width:
        raise _error(
            stream, place, "the launch has no grid and no block; write <<<grid, block>>>", name=name
        )
    begin = closer + 3
    if stream.spelling(begin) == "(":
        arguments = (begin, stream.partner[begin])
        if arguments[1] < 0:
            raise _error(stream, begin, "'(' without ')' after a launch", name=name)
    else:
        arguments = (-1, -1)
    return Launch(
        start=start, opener=place, config=place + width, closer=closer, arguments=arguments
    )


def _closer(stream: Stream, place: int) -> int:
    """Return where the ``>>>`` of a launch begins whose configuration begins here, or -1."""
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
    """Return where the expression that ends before ``<<<`` begins, or -1."""
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
    """Return where the name before ``::`` begins; the place of ``::`` if it is the global one."""
    before = colons - 1
    if stream.spelling(before) == ">":
        before = stream.match_angle_back(before) - 1
    if stream.is_word(before) and stream.spelling(before) not in _NO_OPERANDS:
        return before
    return colons


def _primary_start(stream: Stream, place: int) -> int:
    """Return where the name, call, index or parenthesis that ends here begins, or -1."""
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
    """Tell whether what ends here is called or indexed by the bracket after it."""
    spelling = stream.spelling(place)
    if stream.is_word(place):
        return spelling not in _NO_OPERANDS and spelling not in _STATEMENT_WORDS
    if spelling == ")":
        begin = stream.partner[place]
        return begin >= 0 and stream.spelling(begin - 1) not in _STATEMENT_WORDS
    return spelling in ("]", ">")


def _callee(
    stream: Stream, launch: Launch, function: Function | None, facts: Facts, in_program: bool
) -> tuple[str, bool]:
    """Return what to pass as the kernel, and whether arguments go through a generic lambda."""
    expression = stream.text(launch.start, launch.opener)
    last, angle = _last_name(stream, launch)
    if last < 0:
        return expression, False
    word = stream.spelling(last)
    is_plain = last == launch.start and angle < 0
    if is_plain and function is not None and _is_variable(stream, word, function, launch.start):
        return expression, False
    known = facts.names.get(word)
    is_known = known is not None and known.is_kernel and word not in stream.parameters
    if is_known and known is not None and not known.is_overloaded and not known.has_defaults:
        given = len(split_commas(stream, angle + 1, launch.opener - 1)) if angle >= 0 else 0
        if known.required is not None and (
            (angle < 0 and not known.is_template)
            or (angle >= 0 and given >= known.required and known.is_template)
        ):
            return f"&{expression}", False
    capture = "" if is_known or (in_program and function is None) else "="
    call = f"{expression}(static_cast<decltype(a_)&&>(a_)...)"
    return f"[{capture}](auto&&... a_) {{ {call}; }}", True


def _last_name(stream: Stream, launch: Launch) -> tuple[int, int]:
    """Return the place of a qualified name's last word and of the ``<`` after it, or -1, -1."""
    end = launch.opener - 1
    angle = -1
    if stream.spelling(end) == ">":
        angle = stream.match_angle_back(end)
        end = angle - 1
    if not stream.is_word(end):
        return -1, -1
    for place in range(launch.start, end):
        if stream.spelling(place) in (".", "->", "(", "["):
            return -1, -1
    return end, angle


def _is_variable(stream: Stream, word: str, function: Function, before: int) -> bool:
    """Tell whether a function declares a variable of this name before a place."""
    for place in range(function.start, before):
        if stream.spelling(place) != word or not stream.is_word(place):
            continue
        if place == function.place:
            continue
        if stream.spelling(place - 1) == "*" and stream.spelling(place - 2) == "(":
            return True
        if stream.spelling(place + 1) not in ("=", ";", ",", ")", "[", "{", ">", ":"):
            continue
        if _is_type_before(stream, place - 1):
            return True
    return False


def _is_type_before(stream: Stream, place: int) -> bool:
    spelling = stream.spelling(place)
    if spelling in ("*", "&", "&&"):
        place -= 1
        if stream.spelling(place) == ">":
            return True
    elif spelling == ">":
        return True
    return stream.is_word(place) and stream.spelling(place) not in (
        _NO_OPERANDS - {"auto", "void", "const", "static", "volatile"}
    )


def _error(stream: Stream, place: int, message: str, *, name: str) -> CudaSyntaxError:
    token = stream.tokens[place]
    assert token.kind is Kind.MARK, "launch errors point at a mark"
    return CudaSyntaxError(message, name=name, line=token.line, column=token.column)
