"""Launch stubs: code at the start of each kernel that turns a call into a launch.

``k<<<grid, block>>>(a)`` becomes a configuration and the call ``k(a)``, so that the compiler picks
the kernel and converts the arguments as in any other call. The kernel then hands its parameters to
``::cusim::LaunchStub``, named by the kernel's address, instead of going on.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from torchstone.cudasim.edits import Edits
from torchstone.cudasim.outline import ATTRIBUTES, Function, Outline
from torchstone.cudasim.stream import Stream, split_commas

_TYPE_WORDS = frozenset(
    """void bool char short int long float double signed unsigned auto wchar_t char16_t char32_t
    __int128""".split()
)
# Words beside a type or before a name that are neither.
_PASSIVE = frozenset(
    """const volatile __restrict__ __restrict __grid_constant__ struct class enum union typename
    register""".split()
)
_CONSTANT = frozenset("const volatile __restrict__ __restrict".split())


@dataclass(slots=True)
class _Names:
    """Names of parameters, including generated names for unnamed parameters.

    Attributes:
        letter: The prefix of generated names, which differs for template parameters.
        names: One name per parameter; the name of a pack is followed by ``...``.
        given: Position -> the generated name to insert behind it.
    """

    letter: str
    names: list[str] = field(default_factory=list)
    given: dict[int, str] = field(default_factory=dict)


def write_launch_stubs(
    stream: Stream, outline: Outline, macros: Collection[str], edits: Edits
) -> None:
    """Insert the launch stub into the body of each kernel of a stream."""
    for function in outline.functions:
        found = _read_launch_stub(stream, function, macros)
        if found is not None and function.body is not None:
            for place, name in found[1].items():
                edits.insert_after(stream.tokens[place], f" {name}")
            edits.insert_after(stream.tokens[function.body[0]], found[0])


def has_launch_stub(stream: Stream, function: Function, macros: Collection[str]) -> bool:
    """Return whether a kernel can get a launch stub: its declaration shows its parameters."""
    return _read_launch_stub(stream, function, macros) is not None


def _read_launch_stub(
    stream: Stream, function: Function, macros: Collection[str]
) -> tuple[str, dict[int, str]] | None:
    """Return the text to insert, and the generated parameter names by position."""
    if not function.is_kernel or function.in_class:
        return None
    parameters = _name_all(stream, function.parameters, "p", macros)
    template = _name_all(stream, function.template, "t", macros)
    if parameters is None or template is None:
        return None
    itself = _spell_kernel(stream, function, parameters, template)
    types, values = [], []
    for name in parameters.names:
        dots = "..." if name.endswith("...") else ""
        word = name.removesuffix("...")
        types.append(f"::cusim::plain_type<decltype({word})>{dots}")
        values.append(f"static_cast<decltype({word})&&>({word}){dots}")
    pointer = f"static_cast<void (*)({', '.join(types)})>(&{itself})"
    text = (
        f" if (::cusim::is_called_for_launch()) {{ ::cusim::LaunchStub<{pointer}>::begin_launch"
        f"({', '.join(values)}); return; }}"
    )
    return text, parameters.given | template.given


def _spell_kernel(stream: Stream, function: Function, parameters: _Names, template: _Names) -> str:
    """Return the name of the kernel within its own body, with its template arguments."""
    first = function.place
    while stream.spelling(first - 1) == "##":
        first -= 2
    name = stream.text(first, function.parameters[0])
    if template.names:
        name = f"{name}<{', '.join(template.names)}>"
    if function.name in parameters.names:  # a parameter hides the kernel
        name = "::".join(("", *function.scopes, name))
    return name


def _name_all(
    stream: Stream, brackets: tuple[int, int] | None, letter: str, macros: Collection[str]
) -> _Names | None:
    """Name the parameters between brackets; None if a macro may hide them."""
    found = _Names(letter)
    if brackets is None:
        return found
    parts = split_commas(stream, brackets[0] + 1, brackets[1])
    if len(parts) == 1 and stream.text(*parts[0]) == "void":
        return found
    known = {*macros, *stream.parameters}
    return found if all(_name_one(stream, *part, found, known) for part in parts) else None


def _name_one(stream: Stream, start: int, stop: int, found: _Names, macros: set[str]) -> bool:
    stop = _before_default(stream, start, stop)
    last = _before_suffixes(stream, start, stop) - 1
    if last < start or _is_macro(stream, start, last, macros):
        return False
    spellings = [stream.spelling(place) for place in range(start, stop)]
    is_pack = "..." in spellings
    behind_stars = " ".join(spellings).rpartition("*")[2].split()
    if is_pack and not _CONSTANT.isdisjoint(behind_stars):
        return False  # g++ 12 cannot take the address of a function with const T... x
    group = _inner_group(stream, start, last)
    if group is not None:
        last = _before_suffixes(stream, *group) - 1
        named = stream.is_word(last) and stream.spelling(last) not in _PASSIVE | _TYPE_WORDS
    else:
        named = _is_name(stream, start, last, is_template=found.letter == "t")
    if named:
        name = stream.text(_pasted_start(stream, last), last + 1)
    else:
        name = found.given[last] = f"cusim_{found.letter}{len(found.names)}_"
    found.names.append(name + ("..." if is_pack else ""))
    return True


def _before_default(stream: Stream, start: int, stop: int) -> int:
    place = start
    while place < stop and stream.spelling(place) != "=":
        if stream.spelling(place) in ("(", "[", "{"):
            place = max(stream.partner[place], place)
        elif stream.spelling(place) == "<":
            place = max(stream.match_angle(place, stop), place)
        place += 1
    return min(place, stop)


def _before_suffixes(stream: Stream, start: int, stop: int) -> int:
    """Return the position of the bounds and attributes behind a name."""
    while stop - 1 > start and stream.spelling(stop - 1) in ("]", ")"):
        begin = stream.partner[stop - 1]
        is_bound = stream.spelling(stop - 1) == "]" and stream.spelling(begin + 1) != "["
        if begin <= start or not (is_bound or stream.spelling(begin - 1) in ATTRIBUTES):
            break
        if stream.spelling(begin - 1) in ("decltype", "typeof", "__typeof__"):
            break
        stop = begin if is_bound else begin - 1
    return stop


def _is_macro(stream: Stream, start: int, last: int, macros: set[str]) -> bool:
    """Return whether a macro may expand to a whole parameter, or to several."""
    if stream.spelling(last) == ")":
        begin = stream.partner[last]
        return begin > 0 and stream.spelling(begin - 1) in macros
    return start == last and stream.spelling(last) in {*macros, "..."}


def _inner_group(stream: Stream, start: int, last: int) -> tuple[int, int] | None:
    """Return the parentheses around a name: ``(*f)(int)``, ``(&a)[3]``; None for f(int)."""
    if stream.spelling(last) != ")":
        return None
    begin = stream.partner[last]
    if stream.spelling(begin - 1) == ")":
        begin, last = stream.partner[begin - 1], begin - 1
    marks = [stream.spelling(place) for place in range(begin + 1, last)]
    if begin > start and {"*", "&", "&&"} & set(marks):
        return begin, last
    # A function type, passed as a pointer.
    is_function = stream.is_word(begin - 1) and stream.spelling(begin - 1) not in ATTRIBUTES
    return (start, begin) if is_function else None


def _is_name(stream: Stream, start: int, last: int, *, is_template: bool) -> bool:
    """Return whether the last word of a parameter is its name rather than the end of its type."""
    word = stream.spelling(last)
    first = _pasted_start(stream, last)
    if not stream.is_word(last) or word in _TYPE_WORDS | _PASSIVE:
        return False
    if stream.spelling(first - 1) == "::":
        return False
    passive = _PASSIVE - {"class", "typename"} if is_template else _PASSIVE
    return any(stream.spelling(place) not in passive for place in range(start, first))


def _pasted_start(stream: Stream, place: int) -> int:
    while stream.spelling(place - 1) == "##":
        place -= 2
    return place
