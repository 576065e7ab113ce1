"""A file or a module that a page, a docstring or a comment names is in the tree."""

import re
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.pure

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "torchstone"
SUFFIXES = (".py", ".h", ".toml", ".cpp", ".cu", ".sh")
PAGES = (
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "benchmarks").rglob("*.md")),
    *sorted(path for path in SOURCE.rglob("*.md") if "content" not in path.parts),
)
MODULES = tuple(
    path
    for folder in (SOURCE, ROOT / "tools", ROOT / "benchmarks", ROOT / "tests")
    for path in sorted(folder.rglob("*.py"))
    if "content" not in path.parts and not {"submissions", "new_problem"} & {*path.parts}
)
# Releases name files as they were at the time.
HISTORY = {"CHANGELOG.md"}
# Of PyTorch and of torchtune; NAME is a placeholder.
_ELSEWHERE = re.compile(r"(torch|aten|ATen|c10|torchtune)/|.*NAME")
# The files of another project, of a user or of an example, by the page or module that names them.
ELSEWHERE = {
    "cuda-support.md": {
        *("nvrtc.h", "nvJitLink.h", "cudaTypedefs.h", "cuda_gl_interop.h", "texture_*.h"),
        *("surface_*.h", "nvToolsExt.h", "cuda_profiler_api.h"),
    },
    "microtorch.md": {"tools/autograd/gen_variable_type.py"},
    "operator-to-compile.md": {"tensor.h", "ops.h"},
    "operations.md": {"config.toml"},
    "page.md": {"01_softmax.2026-11-20.py"},
    "sandbox.md": {"setup.py"},
    "config.py": {"config.toml"},
    "paths.py": {"config.toml"},
    "landlock.py": {"x.py"},
}
# Packages whose names mean nothing else, so that a dotted name is one of their modules.
PACKAGES = ("judge", "app", "web", "cli", "store", "bank")

_NAME = re.compile(rf"`([\w./*-]+(?:{'|'.join(map(re.escape, SUFFIXES))}))`")
_WORDS = re.compile(r'"""[\s\S]*?"""|#.*')
_DOTTED = re.compile(r"`(?:torchstone\.)?([a-z_]+(?:\.\w+)+)(?:\(\))?`")


@cache
def tree() -> tuple[str, ...]:
    """Return every file with one of the suffixes, as a path from the root."""
    folders = [ROOT / name for name in ("src", "tests", "tools", "benchmarks", "docs")]
    found = [*ROOT.glob("*"), *(path for folder in folders for path in folder.rglob("*"))]
    return tuple(
        "/" + path.relative_to(ROOT).as_posix() for path in found if path.suffix in SUFFIXES
    )


@cache
def is_there(name: str) -> bool:
    """Return whether the tree has a file of this name, which may be a pattern."""
    ending = f"/{name.removeprefix('./')}"
    if "*" in name:
        return any(fnmatchcase(path, f"*{ending}") for path in tree())
    return any(path.endswith(ending) for path in tree())


def missing_files(text: str, where: str) -> list[str]:
    """List the names of files in backticks that are nowhere in the tree."""
    named = set(_NAME.findall(text)) - ELSEWHERE.get(where, set())
    return sorted(name for name in named if not _ELSEWHERE.match(name) and not is_there(name))


@cache
def packages() -> dict[str, tuple[Path, ...]]:
    """Return the packages of `PACKAGES`, themselves included, by their last name."""
    found: dict[str, tuple[Path, ...]] = {}
    for package in PACKAGES:
        for init in sorted((SOURCE / package).rglob("__init__.py")):
            found[init.parent.name] = (*found.get(init.parent.name, ()), init.parent)
    return found


def names_something(package: Path, names: list[str]) -> bool:
    """Return whether a package has this module, this name in the module, or this sentence."""
    first, *rest = names
    catalogue = package / "messages" / "en.toml"
    if catalogue.is_file() and re.search(
        rf"(?m)^(\[(\w+\.)*)?{first}\b", catalogue.read_text("utf-8")
    ):
        return True
    if (package / first / "__init__.py").is_file():
        return not rest or names_something(package / first, rest)
    module = package / f"{first}.py"
    if module.is_file():
        return not rest or rest[0] in module.read_text(encoding="utf-8")
    return first in (package / "__init__.py").read_text(encoding="utf-8")


def missing_modules(text: str) -> list[str]:
    """List the dotted names in backticks that begin with a package and name nothing in it."""
    found = set()
    for name in _DOTTED.findall(text):
        first, *rest = name.split(".")
        if first in packages() and not any(
            names_something(each, rest) for each in packages()[first]
        ):
            found.add(name)
    return sorted(found)


def words_of(module: Path) -> str:
    """Return the docstrings of a module, other texts in triple quotes, and the comments."""
    return "\n".join(_WORDS.findall(module.read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_names_files_that_are_there(page: Path) -> None:
    if page.name not in HISTORY:
        text = page.read_text(encoding="utf-8")
        assert missing_files(text, page.name) + missing_modules(_without_files(text)) == []


def test_docstrings_and_comments_name_files_and_modules_that_are_there() -> None:
    found = {}
    for module in MODULES:
        words = words_of(module)
        missing = missing_files(words, module.name) + missing_modules(_without_files(words))
        if missing and module != Path(__file__).resolve():
            found[module.relative_to(ROOT).as_posix()] = missing
    assert found == {}


def _without_files(text: str) -> str:
    """Blank what looks like a module and is a file, a key of a table or an address."""
    return re.sub(r"`[\w./*-]+\.(?:py|h|toml|cpp|cu|sh|json|md|key|log|lock)`", "``", text)


@pytest.mark.parametrize(
    "text", ["see `judge/wires.py`", "``derived.py``", "`csrc/registered_*.cpp`", "`nothing.toml`"]
)
def test_a_file_that_is_gone_is_found(text: str) -> None:
    assert missing_files(text, "page.md")


@pytest.mark.parametrize(
    "text",
    ["`wire.py`", "`judge/child/protocol/wire.py`", "`csrc/register_*.cpp`", "`torch/nn/any.py`"],
)
def test_a_file_that_is_there_is_no_finding(text: str) -> None:
    assert missing_files(text, "page.md") == []


@pytest.mark.parametrize(
    "name", ["judge.wires", "`judge.replies.Gone`", "child.protocol.wire.gone", "judging.gone"]
)
def test_a_module_that_is_gone_is_found(name: str) -> None:
    assert missing_modules(f"`{name.strip('`')}`")


@pytest.mark.parametrize(
    "name", ["judge.child.protocol.wire", "judge.replies.Graded", "child.protocol.wire", "np.exp"]
)
def test_a_module_that_is_there_is_no_finding(name: str) -> None:
    assert missing_modules(f"``{name}``") == []
