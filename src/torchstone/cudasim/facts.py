"""Know of all files of a program which names are kernels, and of what kind."""

from dataclasses import dataclass, field

from torchstone.cudasim.outline import Function, Outline
from torchstone.cudasim.stream import Program, Stream


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelDeclaration:
    """Hold what is known of a ``__global__`` function.

    Attributes:
        name: Its name with its namespaces.
        is_template: Whether it needs template arguments.
        is_overloaded: Whether several kernels have this name in one namespace; those are not
            registered by name.
        line: The line of its name.
        params: Its parameters as they stand in the source, on one line.
        launch_bounds: What stands in the parentheses of ``__launch_bounds__``; else empty.
    """

    name: str
    is_template: bool
    is_overloaded: bool
    line: int
    params: str
    launch_bounds: str


@dataclass(slots=True)
class KernelName:
    """Hold what all declarations of one name say together.

    Attributes:
        signatures: The parameter types of each declaration, as text.
        is_kernel: Whether any of them is a kernel.
        has_defaults: Whether a parameter has a default, which a pointer to it would forget.
        required: How many template arguments name one function; None if that is not known.
        is_template: Whether any of them is a template.
    """

    signatures: set[str] = field(default_factory=set)
    is_kernel: bool = False
    has_defaults: bool = False
    required: int | None = 0
    is_template: bool = False

    @property
    def is_overloaded(self) -> bool:
        """Tell whether the name alone does not name one function or template."""
        return len(self.signatures) > 1


@dataclass(slots=True)
class Facts:
    """Hold what all files of a program say of their functions.

    Attributes:
        names: Simple name -> what is known; also of functions that are no kernels.
        overloads: Name with its namespaces -> the parameter types of each declaration, as text.
        declared: Every name that the program gives to a function, class, namespace or macro.
    """

    names: dict[str, KernelName] = field(default_factory=dict)
    overloads: dict[str, set[str]] = field(default_factory=dict)
    declared: set[str] = field(default_factory=set)

    def learn(self, program: Program, outline: Outline) -> None:
        """Take in one more file."""
        self.declared |= outline.names
        for function in outline.functions:
            if function.in_class or function.is_instantiation or function.is_specialisation:
                continue
            known = self.names.setdefault(function.name, KernelName())
            code = program.code
            signature = _signature(code, function.parameters)
            known.signatures.add("::".join(function.scopes) + "|" + signature)
            self.overloads.setdefault(qualified_name(function), set()).add(signature)
            known.is_kernel |= function.is_kernel
            known.is_template |= function.template is not None
            known.has_defaults |= _has_defaults(code, function.parameters)
            if function.template is not None:
                known.required = _required_arguments(code, function.template)

    def is_overloaded(self, function: Function) -> bool:
        """Tell whether the namespace of a function has several of its name."""
        return len(self.overloads.get(qualified_name(function), ())) > 1


def declare_kernels(
    program: Program, outline: Outline, facts: Facts
) -> tuple[KernelDeclaration, ...]:
    """Return the kernels of a file in their order, each once."""
    found: dict[tuple[str, str], KernelDeclaration] = {}
    for function in outline.functions:
        if not function.is_kernel or function.in_class or function.is_instantiation:
            continue
        if function.name not in facts.names or function.is_specialisation:
            continue
        begin, end = function.parameters
        declaration = KernelDeclaration(
            name=qualified_name(function),
            is_template=function.template is not None,
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


def split_commas(code: Stream, start: int, stop: int) -> list[tuple[int, int]]:
    """Cut a list at its commas, not at those within brackets or template arguments."""
    parts: list[tuple[int, int]] = []
    begin = place = start
    while place < stop:
        spelling = code.spelling(place)
        if spelling in ("(", "[", "{") and code.partner[place] >= 0:
            place = code.partner[place]
        elif spelling == "<" and code.is_word(place - 1):
            close = code.match_angle(place, stop)
            place = close if close > 0 else place
        elif spelling == ",":
            parts.append((begin, place))
            begin = place + 1
        place += 1
    if begin < stop or parts:
        parts.append((begin, stop))
    return parts


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


def _has_defaults(code: Stream, parameters: tuple[int, int]) -> bool:
    return any(
        code.spelling(place) == "="
        for start, stop in split_commas(code, parameters[0] + 1, parameters[1])
        for place in range(start, stop)
    )


def _required_arguments(code: Stream, template: tuple[int, int]) -> int | None:
    """Count the template parameters without a default; None where there is a pack."""
    required = 0
    for start, stop in split_commas(code, template[0] + 1, template[1]):
        spellings = [code.spelling(place) for place in range(start, stop)]
        if "..." in spellings:
            return None
        required += "=" not in spellings
    return required
