"""Rewrite ``__shared__`` declarations as references to the memory of each block."""

from collections.abc import Iterable
from dataclasses import dataclass

from torchstone.cudasim.declarators import Declaration, Declarator, read_declaration
from torchstone.cudasim.edits import Edits
from torchstone.cudasim.outline import Function, Outline
from torchstone.cudasim.stream import Program, Stream
from torchstone.cudasim.tokens import CudaSyntaxError
from torchstone.cudasim.words import say

_TYPE_CALLS = frozenset(
    "alignas __align__ __builtin_align__ __attribute__ __attribute decltype typeof".split()
)
_NOT_IN_DECLARATIONS = frozenset("else do return case default public private protected".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedName:
    """Shared variable and the scope of its name.

    Attributes:
        name: The name of the variable.
        start: The position where its declaration ends.
        stop: The position where the block that declares it ends.
        is_dynamic: Whether the launch determines its size.
    """

    name: str
    start: int
    stop: int
    is_dynamic: bool


def rewrite_shared(
    stream: Stream, outline: Outline | None, program: Program, edits: Edits, *, name: str
) -> list[SharedName]:
    """Rewrite the shared declarations of a stream; return the names declared in its functions.

    Raises:
        CudaSyntaxError: A shared variable is initialised, or has no name.
    """
    aliases = {
        word: program.aliases[word]
        for word in program.aliases
        if "__shared__" in program.aliases[word]
    }
    names: list[SharedName] = []
    if stream.macro in program.aliases:
        return names
    for place in range(len(stream)):
        word = stream.spelling(place)
        if word != "__shared__" and word not in aliases:
            continue
        start = _declaration_start(stream, place)
        end = _declaration_end(stream, place)
        declaration = read_declaration(stream, start, end, frozenset(program.aliases))
        if declaration is None:
            raise _error(stream, place, say("refusal.shared_of_nothing", "en"), name=name)
        _refuse_initialisers(stream, declaration, name=name)
        words = {stream.spelling(k) for k in range(*declaration.specifiers)}
        words |= {each for k in words for each in aliases.get(k, ())}
        is_dynamic = "extern" in words
        in_function = outline is None or outline.function_at(place) is not None
        _make_typedef(stream, declaration, edits, frozenset(aliases))
        tail = "".join(
            _slot(stream, declaration, each, is_dynamic)
            + (_reference(_Name(stream, each), is_dynamic) if in_function else "")
            for each in declaration.declarators
        )
        edits.insert_after(stream.tokens[end - 1], tail)
        stop = _block_end(stream, place) if in_function else len(stream)
        names += [
            SharedName(
                name=stream.spelling(each.first), start=end, stop=stop, is_dynamic=is_dynamic
            )
            for each in declaration.declarators
        ]
    return names


class _Name:
    """Names derived from the name of a variable."""

    def __init__(self, stream: Stream, declarator: Declarator) -> None:
        self.text = stream.text(declarator.first, declarator.last + 1)
        self.is_macro = bool(stream.macro)
        self.line = "__LINE__" if self.is_macro else str(stream.tokens[declarator.first].line)

    def suffix(self, letter: str) -> str:
        """Return the suffix of the name; within macros it is pasted."""
        return f" ## _{letter}_" if self.is_macro else f"_{letter}_"

    def with_suffix(self, letter: str) -> str:
        """Return the derived name: of the type (t), the slot (s) or the alignment (a)."""
        return self.text + self.suffix(letter)

    @property
    def quoted(self) -> str:
        """Return the name as a C++ string."""
        return f"CUSIM_NAME({self.text})" if self.is_macro else f'"{self.text}"'


def _make_typedef(
    stream: Stream, declaration: Declaration, edits: Edits, aliases: frozenset[str]
) -> None:
    """Turn the declaration into a typedef: its tokens then declare the type ``x_t_`` of ``x``."""
    has_typedef = False
    for place in range(*declaration.specifiers):
        word = stream.spelling(place)
        if word == "__shared__" or word in aliases:
            edits.replace(stream.tokens[place], "" if has_typedef else "typedef")
            has_typedef = True
        elif word in ("static", "extern"):
            edits.replace(stream.tokens[place], "")
    for first, last in declaration.alignments:
        for place in range(first, last + 1):
            edits.replace(stream.tokens[place], "")
    for each in declaration.declarators:
        edits.insert_after(stream.tokens[each.last], _Name(stream, each).suffix("t"))


def _slot(
    stream: Stream, declaration: Declaration, declarator: Declarator, is_dynamic: bool
) -> str:
    if is_dynamic:
        return ""
    name = _Name(stream, declarator)
    kind = name.with_suffix("t")
    aligned = kind
    text = ""
    if declaration.is_aligned:
        # Use a struct for the alignment, because alignof of an array ignores alignment attributes.
        # Each alignas needs a member of its own: of two on one member, g++ lets the last of a
        # template win.
        aligned = name.with_suffix("a")
        members = "".join(
            f"{stream.text(first, last + 1)} char m{number}; "
            for number, (first, last) in enumerate(declaration.alignments)
        )
        text = f"; struct {aligned} {{ {kind} member; {members}}}"
    slot = name.with_suffix("s")
    return (
        f"{text}; static ::cusim::SharedSlot {slot}"
        f"{{{name.quoted}, sizeof({kind}), alignof({aligned}), {name.line}}}"
    )


def _reference(name: _Name, is_dynamic: bool) -> str:
    kind = name.with_suffix("t")
    where = (
        "cusim_dynamic_shared()"
        if is_dynamic
        else f"::cusim::shared_variable({name.with_suffix('s')})"
    )
    return f"; {kind}& {name.text} = *static_cast<{kind}*>({where})"


def bring_in_file_shared(
    program: Program,
    outline: Outline,
    names: Iterable[SharedName],
    edits: Edits,
) -> list[SharedName]:
    """Declare file-scope shared variables again in each device function that uses them.

    The address is known only while a block runs, so a file-scope variable cannot hold it. An inner
    block keeps the function's own names apart from it.
    """
    code = program.code
    brought: list[SharedName] = []
    for variable in names:
        mentions = words_for(variable.name, program.macros)
        for function in outline.functions:
            if function.body is None or not function.is_device:
                continue
            begin, end = function.body
            if not uses(code, mentions, begin, end) or _has_parameter(code, function, variable):
                continue
            kind = f"{variable.name}_t_"
            where = "cusim_dynamic_shared()"
            if not variable.is_dynamic:
                where = f"::cusim::shared_variable({variable.name}_s_)"
            edits.insert_after(
                code.tokens[begin],
                f" [[maybe_unused]] {kind}& {variable.name} = *static_cast<{kind}*>({where}); {{",
            )
            edits.insert_before(code.tokens[end], "} ")
            brought.append(
                SharedName(
                    name=variable.name, start=begin, stop=end, is_dynamic=variable.is_dynamic
                )
            )
    return brought


def _has_parameter(code: Stream, function: Function, variable: SharedName) -> bool:
    begin, end = function.parameters
    return any(code.spelling(place) == variable.name for place in range(begin, end))


def words_for(name: str, macros: list[Stream]) -> frozenset[str]:
    """Return the name and the macros that expand to it, directly or indirectly."""
    words = {name}
    while True:
        found = {
            stream.macro
            for stream in macros
            if any(token.spelling in words for token in stream.tokens)
        }
        if found <= words:
            return frozenset(words)
        words |= found


def uses(code: Stream, words: frozenset[str], start: int, stop: int) -> bool:
    """Return whether one of the words occurs between two positions as an unqualified name."""
    return any(
        code.spelling(place) in words and code.spelling(place - 1) not in (".", "->", "::")
        for place in range(start, stop)
    )


def _declaration_start(stream: Stream, place: int) -> int:
    """Return the position where the declaration that contains ``__shared__`` begins."""
    while place > 0:
        before = stream.spelling(place - 1)
        if before == ")":
            begin = stream.partner[place - 1]
            if begin > 0 and stream.spelling(begin - 1) in _TYPE_CALLS:
                place = begin - 1
                continue
            break
        if before == ">":
            begin = stream.match_angle_back(place - 1)
            if begin < 1 or stream.spelling(begin - 1) == "template":
                break
            place = begin
        elif before == "::" or (stream.is_word(place - 1) and before not in _NOT_IN_DECLARATIONS):
            place -= 1
        else:
            break
    return place


def _declaration_end(stream: Stream, place: int) -> int:
    while place < len(stream) and stream.spelling(place) not in (";", "}"):
        if stream.spelling(place) in ("(", "[", "{") and stream.partner[place] > 0:
            place = stream.partner[place]
        place += 1
    return place


def _block_end(stream: Stream, place: int) -> int:
    """Return the position where the innermost block around a position ends."""
    while place < len(stream):
        if stream.spelling(place) == "}":
            return place
        if stream.spelling(place) in ("(", "[", "{") and stream.partner[place] > 0:
            place = stream.partner[place]
        place += 1
    return len(stream)


def _refuse_initialisers(stream: Stream, declaration: Declaration, *, name: str) -> None:
    for each in declaration.declarators:
        if each.initialiser >= 0:
            word = stream.spelling(each.first)
            message = say("refusal.shared_initialised", "en", variable=word)
            raise _error(stream, each.initialiser, message, name=name)


def _error(stream: Stream, place: int, message: str, *, name: str) -> CudaSyntaxError:
    token = stream.tokens[place]
    return CudaSyntaxError(message, name=name, line=token.line, column=token.column)
