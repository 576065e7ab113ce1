"""Products that every build of an extension uses: torch's headers read ahead, libraries to link.

To read the headers of torch takes longer than to compile a submission, and to read its libraries
takes longer than to link one. So the host makes two things ahead, once for each compiler and each
torch: the compiler's state behind the headers, and libraries without symbols that bear the names
of torch's. A shared library may leave symbols open; the loader finds them in torch. Without these
products a build takes longer and gives the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from torchstone.cudasim.products import digest, made_once
from torchstone.cudasim.toolchain import Toolchain
from torchstone.judge.build.source import first_includes

# One includes most of another; with all three, nothing else of torch is read.
HEADERS = tuple(f"torch/csrc/stable/{name}.h" for name in ("library", "ops", "tensor"))
LIBRARIES = ("torch_cpu", "c10")
_VERSION = "torch/headeronly/version.h"
_ALL = "torch-all.h"


def make_ahead(toolchain: Toolchain, torch: Path, flags: Sequence[str]) -> None:
    """Make the products if they are not there yet; other processes wait for them.

    Args:
        toolchain: The compiler.
        torch: The folder in which torch is installed.
        flags: The options with which submissions are compiled.

    Raises:
        CacheError: Nothing can be written where products are kept.
        CompileError: The compiler fails.
    """
    with made_once(_folder(toolchain, torch, flags)) as making:
        if making is None:
            return
        text = "".join(f"#include <{header}>\n" for header in HEADERS)
        (making / _ALL).write_text(text, encoding="ascii")
        # What clang precompiles names the folder in which it was made, and that one moves.
        if not toolchain.clang:
            output = ["-o", f"{_ALL}.gch"]
            toolchain.run([*flags, "-x", "c++-header", _ALL, *output], cwd=making)
        (making / "empty.cpp").touch()
        for name in LIBRARIES:
            named = ["-shared", "-nostdlib", f"-Wl,-soname,lib{name}.so", "-o", f"lib{name}.so"]
            toolchain.run(["-fPIC", "empty.cpp", *named], cwd=making)


def find_ahead(toolchain: Toolchain, torch: Path, flags: Sequence[str]) -> Path | None:
    """Return the folder of the products; None if they are not made yet."""
    folder = _folder(toolchain, torch, flags)
    return folder if folder.is_dir() else None


def include_ahead(folder: Path, source: str) -> tuple[str, ...]:
    """Return the options that put the headers before a source, if it begins with them itself.

    Where it includes them later, or not all of them, it may mean something else: a macro may come
    before, and a name that no header declares must stay unknown.
    """
    wanted = {f"<{header}>" for header in HEADERS}
    return ("-include", str(folder / _ALL)) if wanted <= first_includes(source) else ()


def link_with(folder: Path) -> tuple[str, ...]:
    """Return the options that link with the libraries in a folder, whether symbols are theirs."""
    libraries = [f"-l{name}" for name in LIBRARIES]
    return ("-Wl,--push-state,--no-as-needed", f"-L{folder}", *libraries, "-Wl,--pop-state")


def _folder(toolchain: Toolchain, torch: Path, flags: Sequence[str]) -> Path:
    # The sandbox of a compiler shows of torch only headers and libraries; one that is not there is
    # missed by the compiler. Another torch of the same version may have been installed anew.
    paths = [torch / "include" / header for header in (*HEADERS, _VERSION)]
    stamps = [(path.read_bytes(), path.stat().st_mtime_ns) for path in paths if path.is_file()]
    key = digest(toolchain.identity, *flags, *HEADERS, *stamps)
    return toolchain.cache / f"header-{key}"
