"""Register ``__device__`` variables and kernels with the runtime."""

from collections.abc import Sequence

from torchstone.cudasim.declarators import read_declaration
from torchstone.cudasim.edits import Edits
from torchstone.cudasim.facts import Facts, qualified_name
from torchstone.cudasim.outline import Outline, Statement
from torchstone.cudasim.stream import Program
from torchstone.cudasim.tokens import CudaSyntaxError
from torchstone.cudasim.words import say


def announce_symbols(program: Program, outline: Outline, edits: Edits, *, name: str) -> None:
    """Append a ``::cusim::Symbol`` to each variable in device memory.

    Raises:
        CudaSyntaxError: A device variable is a template.
    """
    for statement in outline.statements:
        kind = _kind(statement)
        if kind is None or statement.in_class or "extern" in statement.qualifiers:
            continue
        code = program.code
        token = code.tokens[statement.start]
        if statement.template:
            raise CudaSyntaxError(
                say("refusal.variable_template", "en", kind=kind),
                name=name,
                line=token.line,
                column=token.column,
            )
        found = read_declaration(code, statement.start, statement.end, frozenset(program.aliases))
        for declarator in found.declarators if found is not None else ():
            word = code.spelling(declarator.first)
            if declarator.last != declarator.first or code.spelling(declarator.first + 1) == "::":
                continue
            # The cast removes const and volatile from any type.
            address = f"const_cast<void*>(static_cast<const volatile void*>(&{word}))"
            edits.insert_after(
                code.tokens[statement.end],
                f" static ::cusim::Symbol {word}_y_{{{address}, sizeof({word}), "
                f'"{word}", ::cusim::SymbolKind::{kind}}};',
            )


def _kind(statement: Statement) -> str | None:
    for kind in ("constant", "managed", "device"):
        if f"__{kind}__" in statement.qualifiers:
            return None if "__shared__" in statement.qualifiers else kind
    return None


def register_kernels(program: Program, outline: Outline, facts: Facts, edits: Edits) -> None:
    """Append a ``::cusim::Registered`` to each kernel that can be launched by name.

    It follows the body rather than the end of the file, so that the same ``#if`` applies to both.
    """
    for number, function in enumerate(outline.functions):
        if not function.is_kernel or function.body is None or function.in_class:
            continue
        if function.is_template or not function.name.isidentifier():
            continue
        if function.name not in facts.names or facts.is_overloaded(function):
            continue
        written = "::".join((*program.code.qualifiers_of(function.place), function.name))
        edits.insert_after(
            program.code.tokens[function.body[1]],
            f" static ::cusim::Registered cusim_kernel_{number}_{function.name}_"
            f'{{"{qualified_name(function)}", &{written}}};',
        )


def enforce_bounds(program: Program, outline: Outline, edits: Edits) -> None:
    """Insert a check of the block size against ``__launch_bounds__`` into each kernel.

    It is in the body, where the template parameters are visible.
    """
    for function in outline.functions:
        if function.is_kernel and function.body is not None and function.launch_bounds:
            edits.insert_after(
                program.code.tokens[function.body[0]],
                f" ::cusim::launch_bounds({function.launch_bounds});",
            )


def register_instances(program: Program, instantiate: Sequence[str], edits: Edits) -> None:
    """Append the registrations of template instances after the last declaration.

    This is the last declaration of the file itself and within no ``#if``; a comment or a
    preprocessor line may still follow.
    """
    code = program.code
    depth = 0
    last = -1
    for place in range(len(code)):
        spelling = code.spelling(place)
        depth += (spelling == "{") - (spelling == "}")
        if depth <= 0 and spelling in (";", "}") and not code.conditional[place]:
            last = place
    if last < 0 or not instantiate:
        return
    parts: list[str] = []
    for number, name in enumerate(instantiate):
        text = " ".join(name.split())
        quoted = text.replace("\\", "\\\\").replace('"', '\\"')
        parts.append(
            f' static ::cusim::Registered cusim_instance_{number}_{{"{quoted}", &{text}}};'
        )
    edits.insert_after(code.tokens[last], "".join(parts))
