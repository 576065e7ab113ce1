"""Export of the bank as a repository with problems, tests and solutions, for pytest alone.

The tests judge with a copy of the judge's own code: it draws the cases, calls the answer and
compares the results. The sandbox is not part of the export.
"""

import ast
import importlib.metadata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torchstone
from torchstone.bank import template
from torchstone.bank.groups import declared_groups
from torchstone.bank.problem import Bank, Problem
from torchstone.bank.scaffold import unwritten_files
from torchstone.bank.schema import Language
from torchstone.bank.statement import whole_statement
from torchstone.core.bundle import read_bundle
from torchstone.core.errors import BadInput
from torchstone.core.syntax import parse

_PACKAGE = Path(__file__).resolve().parent.parent
# Judges without sandbox; its imports are all that the tests need.
_ROOT_MODULE = "torchstone.judge.proof.rehearsal"
# Problem 10 gives a submission a function whose backward is in C++; it is built when it is needed.
_NATIVE = _PACKAGE / "judge/native"
_NATIVE_SUFFIXES = (".cpp", ".h", ".toml")
# Run by its path, so no module imports it.
_STARTED = _PACKAGE / "judge/child/scripts/started.py"
# The files in Python beside them are what the tests of a problem read.
_ANSWERS = frozenset({"solution.py", "starter.py"})
_SHOWN = ("*.svg", "*.png")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """The result of an export."""

    folder: Path
    num_problems: int
    num_files: int


def export_bank(bank: Bank, folder: Path) -> Exported:
    """Write every problem of a bank into a new or empty folder.

    An unfinished problem is left out.

    Raises:
        BadInput: The folder is not empty, or cannot be written.
    """
    problems = [problem for problem in bank if not unwritten_files(problem.path)]
    files = dict(_files(problems))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BadInput("bank.folder_not_empty", path=folder)
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        raise BadInput("bank.unwritable", path=folder, reason=error.strerror) from error
    return Exported(folder=folder, num_problems=len(problems), num_files=len(files))


def _files(problems: Sequence[Problem]) -> Iterator[tuple[str, bytes]]:
    # Without the local version of the build: the package index has no `2.13.0+cpu`.
    torch = importlib.metadata.version("torch").partition("+")[0]
    facts = {
        "version": torchstone.__version__,
        "torch": torch,
        "led": ", ".join(problem.id for problem in problems if problem.led) or "\u2013",
        "built": ", ".join(problem.id for problem in problems if problem.spec.is_built) or "\u2013",
    }
    for lang, name in (("en", "README.md"), ("zh", "README.zh.md")):
        rows = "\n".join(_row(problem, lang, name) for problem in problems)
        yield name, _fill(name, count=len(problems), rows=rows, **facts)
    yield "pytest.ini", _fill("pytest.ini")
    yield "requirements.txt", f"torch=={facts['torch']}\nnumpy\npytest\n".encode()
    yield "LICENSE-texts", (_PACKAGE / "content" / "LICENSE").read_bytes()
    yield "LICENSE", template.fill("repository", "LICENSE").encode()
    yield "tests/conftest.py", _fill("conftest.py")
    modules = _closure(_ROOT_MODULE)
    parts = sorted({module.relative_to(_PACKAGE).parts[0] for module in modules})
    sentences = [path for part in parts for path in (_PACKAGE / part / "messages").glob("*.toml")]
    native = [path for path in _NATIVE.iterdir() if path.suffix in _NATIVE_SUFFIXES]
    for file in (*modules, *sentences, *native, _STARTED):
        yield f"tests/support/{file.relative_to(_PACKAGE.parent)}", file.read_bytes()
    for problem in problems:
        yield from _problem_files(problem)


def _problem_files(problem: Problem) -> Iterator[tuple[str, bytes]]:
    folder = f"problems/{problem.path.name}"
    yield f"{folder}/README.md", whole_statement(problem, "en").encode()
    yield f"{folder}/README.zh.md", whole_statement(problem, "zh").encode()
    yield from _written(f"{folder}/{_file_name(problem)}", problem.starter)
    yield from _solution_files(problem)
    if not problem.spec.is_built:
        yield from _test_files(problem)


def _written(name: str, source: str) -> Iterator[tuple[str, bytes]]:
    """Yield the file of a program, or the files of a bundle, in a folder of its name."""
    folder = name.removesuffix(Language.BUNDLE.suffix)
    if folder == name:
        yield name, source.encode()
        return
    for path, text in read_bundle(source).items():
        yield f"{folder}/{path}", text.encode()


def _file_name(problem: Problem) -> str:
    return f"{problem.slug}{problem.spec.language.suffix}"


def _test_files(problem: Problem) -> Iterator[tuple[str, bytes]]:
    """Yield the files for pytest; only Torchstone judges compiled programs."""
    name = problem.path.name
    for path in sorted(problem.path.glob("*.py")):
        if path.name not in _ANSWERS:
            yield f"tests/cases/{name}/{path.name}", path.read_bytes()
    yield (
        f"tests/test_{name}.py",
        _fill(
            "test_problem.py",
            number=problem.id,
            slug=problem.slug,
            title=problem.title.en,
            folder=name,
            groups=declared_groups(problem),
            names=list(problem.spec.entry.names),
            led=problem.led,
        ),
    )


def _solution_files(problem: Problem) -> Iterator[tuple[str, bytes]]:
    name = problem.path.name
    yield f"solutions/{name}/README.md", problem.editorial.en.encode()
    yield f"solutions/{name}/README.zh.md", problem.editorial.zh.encode()
    for variant in (problem.solution, *problem.good):
        yield from _written(f"solutions/{name}/{variant.path.name}", variant.source)
    for picture in (each for pattern in _SHOWN for each in sorted(problem.path.glob(pattern))):
        for shelf in ("problems", "solutions"):
            yield f"{shelf}/{name}/{picture.name}", picture.read_bytes()


def _row(problem: Problem, lang: str, readme: str) -> str:
    title = problem.title.zh if lang == "zh" else problem.title.en
    folder = f"problems/{problem.path.name}"
    stars = "★" * problem.spec.stars
    file = f"{folder}/{_file_name(problem)}"
    return f"| {problem.id} | [{title}]({folder}/{readme}) | {stars} | `{file}` |"


def _fill(name: str, **values: object) -> bytes:
    return template.fill("repository", name, **values).encode()


def _closure(module: str) -> list[Path]:
    """List the files of a Torchstone module and of its Torchstone imports, packages included."""
    found: dict[Path, None] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = _file_of(name)
        if path is None or path in found:
            continue
        found[path] = None
        # Python runs a package before its modules.
        waiting.append(name.rpartition(".")[0])
        waiting += _imports(name, path)
    return sorted(found)


def _file_of(module: str) -> Path | None:
    base = _PACKAGE.parent / Path(*module.split(".")) if module else None
    if base is None:
        return None
    candidates = (base.with_suffix(".py"), base / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)


def _imports(module: str, path: Path) -> Iterator[str]:
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("torchstone"))
        elif isinstance(node, ast.ImportFrom):
            source = node.module or ""
            if node.level:
                base = package.rsplit(".", node.level - 1)[0] if node.level > 1 else package
                source = f"{base}.{source}".rstrip(".")
            if source.startswith("torchstone"):
                yield source
                # A name can be a module of the imported package.
                yield from (f"{source}.{alias.name}" for alias in node.names)
