"""Build a C++ extension of torch from one file that uses only the stable ABI."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from torchstone.cudasim.diagnostics import Texts, read_messages
from torchstone.cudasim.options import PLAIN_MESSAGES
from torchstone.cudasim.toolchain import CompileError, Toolchain
from torchstone.judge.build.objects import BadObject, find_forbidden_of_extension, read_symbols
from torchstone.judge.build.refusals import Refused, not_compiled, refusal_of, refused
from torchstone.judge.build.source import CPP_RULES, refuse_source
from torchstone.judge.build.torch_ahead import find_ahead, include_ahead, link_with, make_ahead

NAME = "ext.cpp"
# The oldest torch that the binary must run with: 2.10.
TARGET = "-DTORCH_TARGET_VERSION=0x020a000000000000"
FLAGS = ("-std=c++20", "-O2", "-fPIC", TARGET, "-w")
# `judge.native` wraps these functions and checks which library registers an operator.
WRAPPED = tuple(f"aoti_torch_library_init_{kind}" for kind in ("def", "fragment", "impl"))


def make_shared(toolchain: Toolchain, torch: Path) -> None:
    """Build the products that every build of an extension uses, if they do not exist yet.

    Raises:
        CacheError: The cache folder cannot be written.
        CompileError: The compiler fails.
    """
    make_ahead(toolchain, torch, _options(torch))


def build_extension(toolchain: Toolchain, folder: Path, torch: Path, source: str) -> bytes:
    """Compile and link a submission; return the library.

    Args:
        toolchain: The compiler.
        folder: The folder for its files.
        torch: The folder in which torch is installed.
        source: The submission.

    Raises:
        Refused: The compiler or a rule refuses the submission.
    """
    refusal = refuse_source(source, CPP_RULES)
    if refusal is not None:
        raise Refused(refused(refusal))
    (folder / NAME).write_text(source, encoding="utf-8", errors="surrogatepass")
    compiled, library = folder / "ext.o", folder / "ext.so"
    ahead = find_ahead(toolchain, torch, _options(torch))
    headers = () if ahead is None else include_ahead(ahead, source)
    compile_it = [*_options(torch), *headers, "-c", NAME, "-o", str(compiled)]
    _run(toolchain, source, compile_it, folder)
    _refuse_symbols(compiled.read_bytes())
    _run(toolchain, source, _link(ahead or torch / "lib", compiled, library), folder)
    return library.read_bytes()


def _options(torch: Path) -> list[str]:
    # Messages name a header as the source includes it, without the path on this machine.
    place = f"-ffile-prefix-map={torch / 'include'}/="
    return [*FLAGS, "-isystem", str(torch / "include"), place, *PLAIN_MESSAGES]


def _link(libraries: Path, compiled: Path, library: Path) -> list[str]:
    wrapped = [f"-Wl,--wrap={name}" for name in WRAPPED]
    # -Bsymbolic binds the library's calls to its own functions, so no other library replaces them.
    options = ["-shared", "-Wl,-Bsymbolic", *wrapped]
    return [*options, str(compiled), *link_with(libraries), "-o", str(library)]


def _run(toolchain: Toolchain, source: str, arguments: list[str], folder: Path) -> None:
    try:
        toolchain.run(arguments, cwd=folder)
    except CompileError as error:
        written: Mapping[str, str] = {NAME: source}
        texts = Texts(written=written, compiled=written, counts_bytes=bool(toolchain.clang))
        raise Refused(not_compiled(read_messages(str(error), texts), str(error))) from None


def _refuse_symbols(compiled: bytes) -> None:
    try:
        symbols = read_symbols(compiled)
    except BadObject as error:
        raise Refused(refusal_of("CE", "object", word=str(error))) from None
    for name in find_forbidden_of_extension(symbols):
        raise Refused(refusal_of("FORBIDDEN_OP", "symbol", word=name))
