"""Names and kinds of the kernels in all files of a program."""

from dataclasses import dataclass, field

from torchstone.cudasim.launch_stubs import has_launch_stub
from torchstone.cudasim.outline import Function, Outline
from torchstone.cudasim.stream import Program, Stream, is_configuration, split_commas


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelDeclaration:
    """Properties of a ``__global__`` function.

    Attributes:
        name: Its name with its namespaces.
        is_template: Whether it needs template arguments.
        is_overloaded: Whether several kernels have this name in one namespace; those are not
            registered by name.
        line: The line of its name.
        params: Its parameters as in the source, on one line.
        launch_bounds: The text in the parentheses of ``__launch_bounds__``; empty without it.
    """

    name: str
    is_template: bool
    is_overloaded: bool
    line: int
    params: str
    launch_bounds: str


@dataclass(slots=True)
class Facts:
    """Names and functions declared in all files of a program.

    Attributes:
        names: The simple name of each function.
        overloads: Name with its namespaces -> the parameter types of each declaration, as text.
        declared: Every name that the program gives to a function, class, namespace or macro.
        macros: The names of all macros.
        configurations: Macros that expand to ``<<<grid, block>>>`` and nothing else.
        entered: The simple names of the kernels that have a launch stub.
        unsure: Words around a ``__global__`` whose kernel could not be read and so has no stub.
        is_complete: Whether every kernel has a launch stub.
    """

    names: set[str] = field(default_factory=set)
    overloads: dict[str, set[str]] = field(default_factory=dict)
    declared: set[str] = field(default_factory=set)
    macros: set[str] = field(default_factory=set)
    configurations: set[str] = field(default_factory=set)
    entered: set[str] = field(default_factory=set)
    unsure: set[str] = field(default_factory=set)
    is_complete: bool = True

    def learn(self, program: Program, outline: Outline) -> None:
        """Add the declarations of one file."""
        self.declared |= outline.names
        self.macros |= program.defined
        self.configurations |= {each.macro for each in program.macros if is_configuration(each)}
        for function in outline.functions:
            if function.in_class or function.is_instantiation or function.is_specialisation:
                continue
            self.names.add(function.name)
            signature = _signature(program.code, function.parameters)
            self.overloads.setdefault(qualified_name(function), set()).add(signature)

    def account(self, program: Program, stream: Stream, outline: Outline) -> None:
        """Find kernels that cannot get a launch stub; call it after ``learn`` for all files."""
        if stream.macro in program.aliases:
            return
        covered: set[int] = set()
        for each in outline.functions:
            if each.is_kernel and (each.body is None or has_launch_stub(stream, each, self.macros)):
                covered.update(range(each.start, each.parameters[0]))
                self.entered.add(each.name)
        for place in range(len(stream)):
            word = stream.spelling(place)
            if word != "__global__" and "__global__" not in program.aliases.get(word, ()):
                continue
            if place in covered:
                continue
            self.is_complete = False
            stop = place
            while stop < len(stream) and stream.spelling(stop) not in ("{", ";"):
                stop += 1
            self.unsure |= {stream.spelling(k) for k in range(place, stop) if stream.is_word(k)}

    def is_overloaded(self, function: Function) -> bool:
        """Return whether a function is overloaded in its namespace."""
        return len(self.overloads.get(qualified_name(function), ())) > 1


def declare_kernels(
    program: Program, outline: Outline, facts: Facts
) -> tuple[KernelDeclaration, ...]:
    """Return the kernels of a file in source order, each once."""
    found: dict[tuple[str, str], KernelDeclaration] = {}
    for function in outline.functions:
        if not function.is_kernel or function.in_class or function.is_instantiation:
            continue
        if function.name not in facts.names or function.is_specialisation:
            continue
        begin, end = function.parameters
        declaration = KernelDeclaration(
            name=qualified_name(function),
            is_template=function.is_template,
            is_overloaded=facts.is_overloaded(function),
            line=program.code.tokens[function.place].line,
            params=program.code.text(begin + 1, end),
            launch_bounds=function.launch_bounds,
        )
        key = (declaration.name, _signature(program.code, function.parameters))
        if key not in found or function.body is not None:
            found[key] = declaration
    return tuple(found.values())


def qualified_name(function: Function) -> str:
    """Return the name of a function with its namespaces."""
    return "::".join((*function.scopes, function.name))


_TYPE_WORDS = frozenset(
    """void bool char short int long float double signed unsigned auto wchar_t char16_t char32_t
    size_t const volatile half""".split()
)
_IGNORED = frozenset(("__restrict__", "__restrict", "restrict", "const", "__grid_constant__"))


def _signature(code: Stream, parameters: tuple[int, int]) -> str:
    """Return the types of parameters as text: without names, defaults and ``const``."""
    types: list[str] = []
    for start, stop in split_commas(code, parameters[0] + 1, parameters[1]):
        words: list[str] = []
        for place in range(start, stop):
            if code.spelling(place) == "=":
                break
            words.append(code.spelling(place))
        words = [word for word in words if word not in _IGNORED]
        tail = words.index("[") if "[" in words else len(words)
        last = words[tail - 1] if tail else ""
        is_name = last.isidentifier() and last not in _TYPE_WORDS and tail > 1
        if is_name and words[tail - 2] != "::":
            del words[tail - 1]
        types.append(" ".join(words))
    text = ", ".join(types)
    return "" if text == "void" else text
