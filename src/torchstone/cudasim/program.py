"""Build a CUDA program: rewrite, compile and cache it."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from torchstone.cudasim.diagnostics import (
    Diagnostic,
    Texts,
    name_of_source,
    read_messages,
    render_messages,
)
from torchstone.cudasim.facts import KernelDeclaration
from torchstone.cudasim.products import content_of, digest, made_once
from torchstone.cudasim.rewrite import Rewritten, read_source, rewrite, rewrite_tree
from torchstone.cudasim.tokens import CudaSyntaxError
from torchstone.cudasim.toolchain import HERE, Build, CompileError, Toolchain
from torchstone.cudasim.words import say

MANIFEST = "manifest.json"
# The pattern may match more than the rewriter follows, but never less, because the matched files
# decide whether a product is stale.
_INCLUDE = re.compile(
    r'(?:\#|%:)(?:[ \t]|/\*.*?\*/)*include(?:[ \t]|/\*.*?\*/)*"([^"\n]+)"', re.DOTALL
)


class NoMain(ValueError):
    """Raised when a program has no ``main``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """Built program.

    Attributes:
        path: The shared library or the executable.
        kernels: The ``__global__`` functions that it declares.
        sources: File name in messages -> its text.
    """

    path: Path
    kernels: tuple[KernelDeclaration, ...]
    sources: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Description of a program to build.

    Attributes:
        sources: File name -> its text; the program itself is the first.
        units: The files that are compiled separately and linked; the first is the program itself.
        path: The path of the program; None if it was given as text.
        build: Which build to make.
        instantiate: Instances of kernel templates to register by name.
        executable: Whether to build an executable with its own ``main`` rather than a library.
    """

    sources: dict[str, str]
    units: tuple[str, ...]
    path: Path | None
    build: Build
    instantiate: tuple[str, ...] = ()
    executable: bool = False

    @property
    def name(self) -> str:
        """Return the name of the program in messages."""
        return next(iter(self.sources))


def order_texts(
    texts: Mapping[str, str], *, build: Build, instantiate: Sequence[str] = ()
) -> Order:
    """Describe a program given as texts by name, each compiled separately (``-rdc=true``)."""
    if not texts:
        raise ValueError("there is no text; expected one, or several by their names.")
    for name in texts:
        if not name or "/" in name or "\0" in name:
            raise ValueError(f"name is {name!r}; expected the name of a file without its folder.")
    stems = [Path(name).stem for name in texts]
    if len(set(stems)) < len(stems):
        raise ValueError(f"names are {', '.join(texts)}; they must differ before their dot.")
    return Order(
        sources=dict(texts),
        units=tuple(texts),
        path=None,
        build=build,
        instantiate=tuple(instantiate),
    )


def order_file(
    path: Path, *, build: Build, instantiate: Sequence[str] = (), executable: bool = False
) -> Order:
    """Describe a program given as a file, with the files that it includes.

    Raises:
        CompileError: One of the files is not UTF-8.
    """
    path = path.resolve()
    return Order(
        sources=_read_all(path),
        units=(path.name,),
        path=path,
        build=build,
        instantiate=tuple(instantiate),
        executable=executable,
    )


def _read_all(path: Path) -> dict[str, str]:
    """Read a program and everything that it includes with quotes."""
    sources: dict[str, str] = {}
    waiting = [path]
    while waiting:
        at = waiting.pop()
        name = os.path.relpath(at, path.parent)
        if name in sources:
            continue
        try:
            sources[name] = read_source(at, name=name)
        except CudaSyntaxError as error:
            raise _as_compile_error(error, {}) from None
        for included in _INCLUDE.findall(re.sub(r"\\[ \t]*\r?\n", "", sources[name])):
            target = (at.parent / included).resolve()
            if target.is_file():
                waiting.append(target)
    return sources


def build_program(toolchain: Toolchain, order: Order) -> Product:
    """Build a program, or find it in the cache.

    Raises:
        CompileError: The program is wrong; the message refers to its own lines.
        NoMain: An executable is wanted, and the program has no ``main``.
        CompilerMissing: The program is not cached, and there is no compiler.
        CacheError: The cache cannot be written.
    """
    key = digest(
        toolchain.identity,
        toolchain.cache,  # the path of the runtime is written into the program
        content_of(HERE),
        toolchain.flags(order.build),
        order.build.value,
        order.executable,
        *order.units,
        *order.instantiate,
        *(part for item in order.sources.items() for part in item),
    )
    folder = toolchain.cache / f"program-{key}"
    # Mark the runtime, with which the program is linked, as recently used.
    toolchain.runtime(order.build)
    try:
        return _take(toolchain, order, folder)
    except FileNotFoundError:
        # Another process has just pruned it.
        return _take(toolchain, order, folder)


def _take(toolchain: Toolchain, order: Order, folder: Path) -> Product:
    with made_once(folder) as making:
        if making:
            _build(toolchain, order, making)
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    return Product(
        path=folder / manifest["output"],
        kernels=tuple(KernelDeclaration(**each) for each in manifest["kernels"]),
        sources=order.sources,
    )


def _build(toolchain: Toolchain, order: Order, making: Path) -> None:
    try:
        rewritten = _rewrite(order, making)
    except CudaSyntaxError as error:
        raise _as_compile_error(error, order.sources) from None
    if order.executable and not rewritten.has_main:
        raise NoMain(say("refused.no_main", "en", file=order.name))
    # Build the runtime first: errors in it must not be reported as errors of the program.
    toolchain.runtime(order.build)
    toolchain.header(order.build)
    try:
        units = [making / name for name in order.units]
        output = toolchain.program(units, order.build, executable=order.executable)
    except CompileError as error:
        compiled = {
            name_of_source(str(each.relative_to(making))): each.read_text("utf-8", "replace")
            for each in making.rglob("*")
            if each.is_file() and name_of_source(str(each.relative_to(making))) in order.sources
        }
        texts = Texts(written=order.sources, compiled=compiled, counts_bytes=bool(toolchain.clang))
        messages = read_messages(str(error), texts)
        if not any(each.severity == "error" for each in messages):
            raise
        raise CompileError(render_messages(messages, order.sources), messages) from None
    manifest = {"output": output.name, "kernels": [asdict(each) for each in rewritten.kernels]}
    (making / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


def _rewrite(order: Order, out: Path) -> Rewritten:
    if order.path is None:
        units = [_rewrite_text(order, name, out) for name in order.units]
        # A kernel declared in one unit and defined in another is a single kernel.
        kernels = {each.name: each for unit in reversed(units) for each in unit.kernels}
        return Rewritten(
            text=units[0].text,
            kernels=tuple(kernels.values()),
            has_main=any(unit.has_main for unit in units),
        )
    rewritten = rewrite_tree(order.path, out, instantiate=order.instantiate)
    if _read_all(order.path) != order.sources:
        raise CompileError(say("refusal.changed_meanwhile", "en", file=order.name))
    return rewritten


def _rewrite_text(order: Order, name: str, out: Path) -> Rewritten:
    # Only the first unit registers the instances.
    instantiate = order.instantiate if name == order.name else ()
    rewritten = rewrite(order.sources[name], name=name, instantiate=instantiate)
    (out / name).write_bytes(rewritten.text.encode("utf-8", "surrogatepass"))
    return rewritten


def _as_compile_error(error: CudaSyntaxError, sources: dict[str, str]) -> CompileError:
    message = Diagnostic(
        file=error.name,
        line=error.line,
        column=error.column,
        severity="error",
        message=error.message,
    )
    return CompileError(render_messages((message,), sources), (message,))
