"""Precompiled headers of torch and stub libraries, used by every build of an extension.

Parsing torch's headers takes longer than compiling a submission, and reading its libraries takes
longer than linking one. So the host prepares two products, once for each compiler and each torch: a
precompiled header, and libraries without symbols that have the sonames of torch's. A shared library
may leave symbols undefined; the loader resolves them in torch. Without these products a build takes
longer and gives the same result.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from torchstone.cudasim.products import digest, made_once
from torchstone.cudasim.toolchain import Toolchain
from torchstone.judge.build.source import first_includes

# One includes most of the others; with all three, no other header of torch is read.
HEADERS = tuple(f"torch/csrc/stable/{name}.h" for name in ("library", "ops", "tensor"))
LIBRARIES = ("torch_cpu", "c10")
_VERSION = "torch/headeronly/version.h"
_ALL = "torch-all.h"


def make_ahead(toolchain: Toolchain, torch: Path, flags: Sequence[str]) -> None:
    """Build the products if they do not exist yet; other processes wait for them.

    Args:
        toolchain: The compiler.
        torch: The folder in which torch is installed.
        flags: The options with which submissions are compiled.

    Raises:
        CacheError: The cache folder cannot be written.
        CompileError: The compiler fails.
    """
    with made_once(_folder(toolchain, torch, flags)) as making:
        if making is None:
            return
        text = "".join(f"#include <{header}>\n" for header in HEADERS)
        (making / _ALL).write_text(text, encoding="ascii")
        # clang's precompiled headers contain the path of their folder, which is renamed afterwards.
        if not toolchain.clang:
            output = ["-o", f"{_ALL}.gch"]
            toolchain.run([*flags, "-x", "c++-header", _ALL, *output], cwd=making)
        (making / "empty.cpp").touch()
        for name in LIBRARIES:
            named = ["-shared", "-nostdlib", f"-Wl,-soname,lib{name}.so", "-o", f"lib{name}.so"]
            toolchain.run(["-fPIC", "empty.cpp", *named], cwd=making)


def find_ahead(toolchain: Toolchain, torch: Path, flags: Sequence[str]) -> Path | None:
    """Return the folder of the products; None if they do not exist yet."""
    folder = _folder(toolchain, torch, flags)
    return folder if folder.is_dir() else None


def include_ahead(folder: Path, source: str) -> tuple[str, ...]:
    """Return the options that use the precompiled header, if the source begins with its includes.

    Otherwise the source may have another meaning: a macro may precede the includes, and names that
    no included header declares must stay unknown.
    """
    wanted = {f"<{header}>" for header in HEADERS}
    return ("-include", str(folder / _ALL)) if wanted <= first_includes(source) else ()


def link_with(folder: Path) -> tuple[str, ...]:
    """Return the options that link a folder's libraries, even if no symbol is found there."""
    libraries = [f"-l{name}" for name in LIBRARIES]
    return ("-Wl,--push-state,--no-as-needed", f"-L{folder}", *libraries, "-Wl,--pop-state")


def _folder(toolchain: Toolchain, torch: Path, flags: Sequence[str]) -> Path:
    # The compiler's sandbox shows only torch's headers and libraries; a missing header is an error
    # of the compiler. The stamps detect another installation of the same version.
    paths = [torch / "include" / header for header in (*HEADERS, _VERSION)]
    stamps = [(path.read_bytes(), path.stat().st_mtime_ns) for path in paths if path.is_file()]
    key = digest(toolchain.identity, *flags, *HEADERS, *stamps)
    return toolchain.cache / f"header-{key}"
