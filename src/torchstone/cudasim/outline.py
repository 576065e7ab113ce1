"""Source outline: functions, variables and scopes of a CUDA program."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field

from torchstone.cudasim.stream import QUALIFIERS, Program, Stream
from torchstone.cudasim.tokens import Kind

# Words that may precede a parenthesis without being the name of a function.
ATTRIBUTES = frozenset(
    """alignas __align__ __builtin_align__ __attribute__ __attribute __declspec __launch_bounds__
    __maxnreg__ __cluster_dims__ __block_size__ decltype __typeof__ typeof noexcept explicit
    throw""".split()
)
_CLASS_KEYS = frozenset(("class", "struct", "union", "enum"))
_AFTER_PARAMETERS = frozenset("const volatile noexcept throw override final try".split())
_NO_WORDS: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """Function in a stream; positions are indices of tokens.

    Attributes:
        name: Its name without namespaces; a macro call where a macro makes the name.
        scopes: The namespaces around it; unnamed ones are left out.
        place: The position of its name.
        start: The start of its declaration, at ``template`` if there is one.
        parameters: The positions of the parentheses around its parameters.
        body: The positions of the braces around its body; None for a declaration.
        qualifiers: Words such as ``__global__`` and ``static``, with macros resolved.
        template: The positions of the ``<`` and ``>`` of its template parameters.
        is_instantiation: Whether it is ``template void f<int>(...);``.
        in_class: Whether it is a member.
        launch_bounds: The text in the parentheses of ``__launch_bounds__``.
    """

    name: str
    scopes: tuple[str, ...]
    place: int
    start: int
    parameters: tuple[int, int]
    body: tuple[int, int] | None
    qualifiers: frozenset[str]
    template: tuple[int, int] | None
    is_instantiation: bool
    in_class: bool
    launch_bounds: str

    @property
    def is_kernel(self) -> bool:
        """Return whether it is a kernel (``__global__``)."""
        return "__global__" in self.qualifiers

    @property
    def is_template(self) -> bool:
        """Return whether it is a template; a macro may hide the template parameters."""
        return self.template is not None or "template" in self.qualifiers

    @property
    def is_specialisation(self) -> bool:
        """Return whether it is a template specialization: ``template <> void f<int>(...)``."""
        return self.template is not None and self.template[1] == self.template[0] + 1

    @property
    def is_device_only(self) -> bool:
        """Return whether its body runs on the device and never on the host."""
        return self.is_kernel or (
            "__device__" in self.qualifiers and "__host__" not in self.qualifiers
        )

    @property
    def is_device(self) -> bool:
        """Return whether its body may run on the device."""
        return self.is_kernel or "__device__" in self.qualifiers


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Declaration of CUDA variables in a namespace or a class.

    Attributes:
        start: The position of its first token.
        end: The position of its semicolon.
        qualifiers: Words such as ``__constant__``, with macros resolved.
        template: Whether it is a template.
        in_class: Whether it is a member.
    """

    start: int
    end: int
    qualifiers: frozenset[str]
    template: bool
    in_class: bool


@dataclass(slots=True, kw_only=True)
class Outline:
    """Declarations of a program outside of functions."""

    functions: list[Function] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    _starts: list[int] = field(default_factory=list)
    _bodies: list[Function] = field(default_factory=list)

    def function_at(self, place: int) -> Function | None:
        """Return the function whose body contains a position."""
        if len(self._starts) != len(self._bodies) or not self._starts:
            self._bodies = [each for each in self.functions if each.body is not None]
            self._bodies.sort(key=lambda each: each.body or (0, 0))
            self._starts = [each.body[0] for each in self._bodies if each.body is not None]
        # Bodies do not nest, because the outline ignores declarations within bodies.
        index = bisect_right(self._starts, place) - 1
        if index < 0:
            return None
        body = self._bodies[index].body
        return self._bodies[index] if body is not None and place <= body[1] else None


def outline_program(program: Program) -> Outline:
    """Return the functions and the qualified variables of a program."""
    walker = _Walker(program.code, program.aliases)
    walker.walk(0, len(program.code), (), in_class=False)
    walker.outline.names |= program.defined
    return walker.outline


def outline_macro(stream: Stream, aliases: Mapping[str, frozenset[str]]) -> Outline:
    """Return the functions that the body of a macro declares."""
    walker = _Walker(stream, aliases)
    walker.walk(0, len(stream), (), in_class=False)
    return walker.outline


class _Walker:
    """Walker over declarations, including those in namespaces and classes, but not in bodies."""

    def __init__(self, code: Stream, aliases: Mapping[str, frozenset[str]]) -> None:
        self.code = code
        self.aliases = aliases
        self.outline = Outline()

    def walk(self, start: int, stop: int, scopes: tuple[str, ...], *, in_class: bool) -> None:
        begin = place = start
        while place < stop:
            spelling = self.code.spelling(place)
            if spelling in ("(", "[") and self.code.partner[place] >= 0:
                place = self.code.partner[place] + 1
            elif spelling == ";":
                self._declaration(begin, place, scopes, in_class=in_class)
                begin = place = place + 1
            elif spelling == "{":
                place, ended = self._brace(begin, place, stop, scopes, in_class=in_class)
                begin = place if ended else begin
            elif spelling == "}":
                begin = place = place + 1
            elif spelling == ":" and self.code.spelling(place - 1) in (
                "public",
                "private",
                "protected",
            ):
                begin = place = place + 1
            else:
                place += 1

    def _brace(
        self, begin: int, place: int, stop: int, scopes: tuple[str, ...], *, in_class: bool
    ) -> tuple[int, bool]:
        """Process a brace; return the next place, and whether a declaration ended."""
        close = self.code.partner[place]
        if close < 0 or close >= stop:
            close = stop
        head = _Head(self.code, begin, place, self.aliases)
        words = head.words
        if "namespace" in words:
            names = tuple(
                self.code.spelling(k)
                for k in range(words["namespace"] + 1, place)
                if self.code.is_word(k) and self.code.spelling(k) != "inline"
            )
            self.outline.names.update(names)
            self.walk(place + 1, close, (*scopes, *names), in_class=False)
            return close + 1, True
        if self.code.spelling(place - 1) in ('"C"', '"C++"') and "extern" in words:
            self.walk(place + 1, close, scopes, in_class=in_class)
            return close + 1, True
        if head.is_class:
            name = head.class_name
            self.outline.names.add(name)
            if "enum" not in words:
                self.walk(place + 1, close, (*scopes, name), in_class=True)
            return close + 1, False
        if head.parameters is None or head.in_initialiser_list(place):
            return close + 1, False
        end = min(close, len(self.code) - 1)
        self._function(head, (place, end), scopes, in_class=in_class)
        for other in self.code.alternatives(place):
            # The other branch of an #if begins the same body in another way.
            head = _Head(self.code, place + 1, other, self.aliases)
            if head.parameters is not None:
                self._function(head, (other, end), scopes, in_class=in_class)
            place = other
        return close + 1, True

    def _declaration(
        self, begin: int, end: int, scopes: tuple[str, ...], *, in_class: bool
    ) -> None:
        head = _Head(self.code, begin, end, self.aliases)
        if head.parameters is not None:
            self._function(head, None, scopes, in_class=in_class)
        elif head.qualifiers & {"__device__", "__constant__", "__managed__", "__shared__"}:
            self.outline.statements.append(
                Statement(
                    start=head.after_template,
                    end=end,
                    qualifiers=head.qualifiers,
                    template=head.template is not None,
                    in_class=in_class,
                )
            )

    def _function(
        self,
        head: "_Head",
        body: tuple[int, int] | None,
        scopes: tuple[str, ...],
        *,
        in_class: bool,
    ) -> None:
        assert head.parameters is not None, "the caller has asked for the parameters"
        self.outline.names.add(self.code.spelling(head.name_place))
        self.outline.functions.append(
            Function(
                name=head.name,
                scopes=(*scopes, *self.code.qualifiers_of(head.name_place)),
                place=head.name_place,
                start=head.begin,
                parameters=head.parameters,
                body=body,
                qualifiers=head.qualifiers,
                template=head.template,
                is_instantiation=head.is_instantiation,
                in_class=in_class,
                launch_bounds=head.launch_bounds,
            )
        )


class _Head:
    """Tokens before the brace or the semicolon of a declaration."""

    def __init__(
        self, code: Stream, begin: int, end: int, aliases: Mapping[str, frozenset[str]]
    ) -> None:
        self.code = code
        self.aliases = aliases
        self.end = end
        self.begin = begin = self._skip_calls(begin)
        self.template: tuple[int, int] | None = None
        self.is_instantiation = False
        self.parameters: tuple[int, int] | None = None
        self.name_place = -1
        self.name = ""
        self.launch_bounds = ""
        self.words: dict[str, int] = {}  # words outside of brackets, with their positions
        self.after_template = self._skip_template(begin)
        self._scan(self.after_template)
        self.qualifiers = self._resolve(aliases)

    def _resolve(self, aliases: Mapping[str, frozenset[str]]) -> frozenset[str]:
        resolved = set(self.words)
        for word in self.words:
            resolved |= aliases.get(word, _NO_WORDS)
        return frozenset(resolved & QUALIFIERS)

    def _skip_calls(self, place: int) -> int:
        """Skip calls of macros that are declarations themselves and so need no semicolon."""
        while self.code.is_word(place) and self.code.spelling(place) not in ATTRIBUTES:
            after = self.code.partner[place + 1] + 1 if place + 1 < self.end else 0
            if self.code.spelling(place + 1) != "(" or not 0 < after < self.end:
                break
            if not self.code.is_word(after) or self.code.spelling(after) in _AFTER_PARAMETERS:
                break
            place = after
        return place

    def _skip_template(self, place: int) -> int:
        while self.code.spelling(place) == "template":
            if self.code.spelling(place + 1) != "<":
                self.is_instantiation = True
                return place + 1
            close = self.code.match_angle(place + 1, self.end)
            if close < 0:
                return place + 1
            self.template = (place + 1, close)
            place = close + 1
        return place

    def _scan(self, place: int) -> None:
        while place < self.end:
            spelling = self.code.spelling(place)
            if spelling == "=" and "operator" not in self.words:
                return
            if spelling == "(":
                after = self._parenthesis(place)
                if self.parameters is not None:
                    return
                place = after
                continue
            if spelling in ("[", "{") and self.code.partner[place] >= 0:
                place = self.code.partner[place]
            elif spelling == "<" and self.code.is_word(place - 1):
                close = self.code.match_angle(place, self.end)
                place = close if close > 0 else place
            elif self.code.is_word(place):
                self.words.setdefault(spelling, place)
            elif spelling == ":" and self.words.keys() & _CLASS_KEYS:
                return
            place += 1

    def _parenthesis(self, place: int) -> int:
        """Classify parentheses as attribute, declarator or parameters; return the next position."""
        close = self.code.partner[place]
        if close < 0 or close > self.end:
            return place + 1
        before = self.code.spelling(place - 1)
        if before in ATTRIBUTES:
            if before == "__launch_bounds__":
                self.launch_bounds = self.code.text(place + 1, close)
            return close + 1
        if before == "operator":  # operator()(...)
            self.words.setdefault("operator", place - 1)
            place, close = close + 1, self.code.partner[close + 1]
            before = "operator"
        if self._is_declarator(place) or close < 0:
            return close + 1 if close > 0 else place + 1
        name = self._name_before(place)
        if name is None or self._is_attribute_macro(name, close):
            return close + 1
        self.name_place = name
        self.name = self.code.spelling(name)
        if self.code.spelling(close + 1) == "(" and self.code.partner[close + 1] > 0:
            # MACRO(name)(parameters)
            self.name = self.code.text(name, close + 1)
            place, close = close + 1, self.code.partner[close + 1]
        self.parameters = (place, close)
        return close + 1

    def _is_attribute_macro(self, name: int, close: int) -> bool:
        """Return whether a macro is an attribute: ``__global__ void BOUNDS(n) k(...)``."""
        after = self.code.spelling(close + 1)
        if not self.code.is_word(close + 1) or after in ATTRIBUTES | _AFTER_PARAMETERS:
            return False
        is_kernel = "__global__" in self._resolve(self.aliases)
        return name == self.after_template or (
            is_kernel and self.code.spelling(close + 2) in ("(", "<", "##")
        )

    def _is_declarator(self, place: int) -> bool:
        """Return whether this is a declarator, such as ``(*f)(int)``, and not parameters."""
        first = self.code.spelling(place + 1)
        if first in ("*", "&", "&&"):
            return True
        if self.code.is_word(place + 1) and self.code.spelling(place + 2) == "::":
            return self.code.spelling(place + 3) == "*"
        return place + 1 < len(self.code) and self.code.tokens[place + 1].kind in (
            Kind.NUMBER,
            Kind.STRING,
            Kind.CHARACTER,
        )

    def _name_before(self, place: int) -> int | None:
        if "operator" in self.words:
            return self.words["operator"]
        if self.code.spelling(place - 1) == ">":
            open_angle = self.code.match_angle_back(place - 1)
            place = open_angle if open_angle > 0 else place
        return place - 1 if self.code.is_word(place - 1) else None

    @property
    def is_class(self) -> bool:
        """Return whether the declaration is that of a class or of an enumeration."""
        return self.parameters is None and bool(self.words.keys() & _CLASS_KEYS)

    @property
    def class_name(self) -> str:
        """Return the name of the class; empty for an unnamed one."""
        names = [word for word in self.words if word not in _CLASS_KEYS | QUALIFIERS | ATTRIBUTES]
        return next((word for word in names if word not in ("typedef", "final")), "")

    def in_initialiser_list(self, place: int) -> bool:
        """Return whether a brace initialises a member: ``S() : a{1} {``."""
        assert self.parameters is not None, "only constructors have initialiser lists"
        colon = any(self.code.spelling(k) == ":" for k in range(self.parameters[1] + 1, place))
        before = self.code.spelling(place - 1)
        return colon and (self.code.is_word(place - 1) or before == ">") and before != "noexcept"
