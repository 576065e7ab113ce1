"""Source-to-source compiler: CUDA C++ to C++17 with the same line numbers."""

import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from torchstone.cudasim.attributes import spell_attributes
from torchstone.cudasim.captures import capture_shared
from torchstone.cudasim.edits import Edits
from torchstone.cudasim.facts import Facts, KernelDeclaration, declare_kernels
from torchstone.cudasim.launch_stubs import write_launch_stubs
from torchstone.cudasim.launches import rewrite_launches
from torchstone.cudasim.outline import Outline, outline_macro, outline_program
from torchstone.cudasim.shared import bring_in_file_shared, rewrite_shared
from torchstone.cudasim.stream import Program, Stream, read_program
from torchstone.cudasim.symbols import (
    announce_symbols,
    enforce_bounds,
    register_instances,
    register_kernels,
)
from torchstone.cudasim.tokens import CudaSyntaxError, tokenize
from torchstone.cudasim.unsupported import refuse_unsupported
from torchstone.cudasim.wholes import store_wholes
from torchstone.cudasim.words import say

__all__ = ["CudaSyntaxError", "KernelDeclaration", "Rewritten", "rewrite", "rewrite_tree"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """Rewritten program, which is valid C++17.

    Attributes:
        text: The program; line n of it is line n of the source.
        kernels: The ``__global__`` functions.
        has_main: Whether the program defines ``main``.
    """

    text: str
    kernels: tuple[KernelDeclaration, ...]
    has_main: bool


def rewrite(source: str, *, name: str = "kernel.cu", instantiate: Sequence[str] = ()) -> Rewritten:
    """Rewrite one CUDA source as C++17.

    Args:
        source: The program.
        name: The file name that messages show.
        instantiate: Instances of kernel templates to register, such as ``"scale<float>"``.

    Raises:
        CudaSyntaxError: The program uses what cudasim does not support, or breaks a rule of CUDA.
    """
    file = _File(source, name)
    facts = _learn([file])
    return file.rewrite(facts, instantiate)


def rewrite_tree(path: Path, out: Path, *, instantiate: Sequence[str] = ()) -> Rewritten:
    """Rewrite a source and the files that it includes with quotes as C++17, in another folder.

    Files that are not found relative to the including file are left to the compiler. The source is
    written to ``out / path.name``, and its includes into the same folders below ``out``; each
    ``..`` becomes the folder ``up_``, because nothing is written outside of ``out``.

    Args:
        path: The CUDA source.
        out: The folder for the C++; it is created if needed.
        instantiate: Instances of kernel templates to register.

    Raises:
        CudaSyntaxError: As for ``rewrite``; or a file is not UTF-8.
    """
    files = _read_tree(path)
    facts = _learn(files.values())
    places = {each: _place_below(each, path.resolve().parent) for each in files}
    results: list[Rewritten] = []
    for each, file in files.items():
        _redirect_includes(file, each, places)
        result = file.rewrite(facts, instantiate if each == path.resolve() else ())
        target = out / places[each]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(result.text.encode())
        results.append(result)
    return Rewritten(
        text=results[-1].text,
        kernels=tuple(kernel for result in results for kernel in result.kernels),
        has_main=any(result.has_main for result in results),
    )


def _read_tree(path: Path) -> "dict[Path, _File]":
    """Read a source and everything that it includes with quotes; included files come first."""
    files: dict[Path, _File] = {}
    visited: set[Path] = set()

    def visit(at: Path, name: str) -> None:
        visited.add(at)
        file = _File(read_source(at, name=name), name)
        _refuse_kernels_elsewhere(file.source, name)
        for token in file.program.includes:
            target = (at.parent / token.spelling[1:-1]).resolve()
            if target.is_file() and target not in visited:
                visit(target, str(PurePosixPath(token.spelling[1:-1])))
        files[at] = file

    visit(path.resolve(), path.name)
    return files


_ANGLED = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<([^>\n]+)>", re.MULTILINE)
# Environment variables with folders in which the compiler looks for angled includes.
_SEARCHED = ("CPATH", "CPLUS_INCLUDE_PATH")


def _refuse_kernels_elsewhere(source: str, name: str) -> None:
    """Refuse an angled include of a header with kernels, which would run as host functions.

    Raises:
        CudaSyntaxError: There is one.
    """
    folders = [each for key in _SEARCHED for each in os.environ.get(key, "").split(":") if each]
    for found in _ANGLED.finditer(source):
        for folder in folders:
            header = Path(folder, found[1])
            if header.is_file() and "__global__" in header.read_text("utf-8", "replace"):
                before = source[: found.start(1)]
                raise CudaSyntaxError(
                    say("refusal.angled_kernel", "en", name=found[1]),
                    name=name,
                    line=before.count("\n") + 1,
                    column=found.start(1) - before.rfind("\n"),
                )


def read_source(path: Path, *, name: str) -> str:
    """Read a source with its line ends unchanged.

    Raises:
        CudaSyntaxError: It is not UTF-8.
    """
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        raise CudaSyntaxError(
            say("refusal.not_utf8", "en", byte=f"{data[error.start]:02x}"),
            name=name,
            line=before.count(b"\n") + 1,
            column=error.start - before.rfind(b"\n"),
        ) from None


def _place_below(path: Path, root: Path) -> PurePosixPath:
    """Return the path of a file relative to the output folder."""
    parts = PurePosixPath(os.path.relpath(path, root)).parts
    return PurePosixPath(*("up_" if part == ".." else part for part in parts))


def _redirect_includes(file: "_File", path: Path, places: dict[Path, PurePosixPath]) -> None:
    """Replace the paths of includes whose rewritten files have moved."""
    for token in file.program.includes:
        target = (path.parent / token.spelling[1:-1]).resolve()
        if target in places:
            place = os.path.relpath(places[target], places[path].parent)
            if place != os.path.normpath(token.spelling[1:-1]):
                file.edits.replace(token, f'"{place}"')


def _learn(files: "Collection[_File]") -> Facts:
    facts = Facts()
    for file in files:
        facts.learn(file.program, file.outline)
    for file in files:
        for stream, outline in file.outlines():
            facts.account(file.program, stream, outline)
    return facts


class _File:
    """Source file with its outline and its edits."""

    def __init__(self, source: str, name: str) -> None:
        self.source = source
        self.name = name
        self.program: Program = read_program(tokenize(source))
        self.outline: Outline = outline_program(self.program)
        self.edits = Edits()

    def outlines(self) -> Iterator[tuple[Stream, Outline]]:
        """Yield the program and the body of each macro, each with its outline."""
        yield self.program.code, self.outline
        for stream in self.program.macros:
            yield stream, outline_macro(stream, self.program.aliases)

    def rewrite(self, facts: Facts, instantiate: Sequence[str]) -> Rewritten:
        program, outline, edits, name = self.program, self.outline, self.edits, self.name
        refuse_unsupported(program, outline, facts, edits, name=name)
        names = rewrite_shared(program.code, outline, program, edits, name=name)
        for stream, inner in self.outlines():
            if stream is not program.code:
                rewrite_shared(stream, None, program, edits, name=name)
            rewrite_launches(stream, facts, edits, name=name)
            spell_attributes(stream, edits)
            write_launch_stubs(stream, inner, facts.macros, edits)
        of_file = [each for each in names if outline.function_at(each.start) is None]
        of_functions = [each for each in names if each not in of_file]
        of_functions += bring_in_file_shared(program, outline, of_file, edits)
        capture_shared(program, of_functions, edits)
        store_wholes(program.code, outline, edits)
        announce_symbols(program, outline, edits, name=name)
        register_kernels(program, outline, facts, edits)
        enforce_bounds(program, outline, edits)
        register_instances(program, instantiate, edits)
        return Rewritten(
            text=edits.write(program.tokens),
            kernels=declare_kernels(program, outline, facts),
            has_main=any(
                each.name == "main" and each.body is not None and not each.scopes
                for each in outline.functions
            ),
        )
