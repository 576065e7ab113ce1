"""Problem loader: parse problem folders, and read Python of the content only as text."""

import re
import tomllib
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec

from torchstone.bank.problem import Bank, Problem
from torchstone.bank.schema import HintFile, ProblemSpec, Rubric, Words
from torchstone.bank.variant import Shelf, Variant, parse_variant
from torchstone.core.errors import BrokenProblem
from torchstone.core.i18n import Lang, text
from torchstone.core.patch import expand

CONTENT = Path(__file__).resolve().parent.parent / "content"
# The code tasks of interviews, beside the outline that names them.
TASKS = Path("interviews", "code")

T = TypeVar("T")


def load_bank(root: Path = CONTENT, *, is_whole: bool = True) -> Bank:
    """Load every problem under ``root/problems`` and every task under ``root/interviews/code``.

    A broken folder affects that problem only: ``Bank.broken`` holds its error.

    Args:
        root: The folder with ``problems/`` and ``interviews/``.
        is_whole: Whether to read the model programs, too, which takes most of the time. Otherwise
            a broken one raises ``BrokenProblem`` when it is first used.
    """
    problems: dict[str, Problem] = {}
    broken: list[BrokenProblem] = []
    for folder in (*_folders(root / "problems"), *_folders(root / TASKS)):
        try:
            problem = load_problem(folder, is_whole=is_whole)
            if problem.id in problems:
                other = problems[problem.id].path.name
                raise _Fault.of(folder, "problem.toml", "taken", id=problem.id, other=other)
            problems[problem.id] = problem
        except BrokenProblem as error:
            broken.append(error)
    tasks = root / TASKS
    return Bank(
        problems=tuple(each for each in problems.values() if each.path.parent != tasks),
        tasks=tuple(each for each in problems.values() if each.path.parent == tasks),
        broken=tuple(broken),
    )


def load_problem(path: Path, *, is_whole: bool = True) -> Problem:
    """Load one problem from its folder; ``is_whole`` as in ``load_bank``.

    Raises:
        BrokenProblem: A file is missing, cannot be read or violates its schema; the error names the
            file, the received value and the expected one.
    """
    spec = _read_toml(path, "problem.toml", ProblemSpec)
    folder_name = f"{spec.id}_{spec.slug}"
    if path.name != folder_name:
        raise _Fault.of(path, "problem.toml", "folder", name=folder_name)
    suffix = spec.language.suffix
    for name in ("contract.h", "launcher.cu") if spec.native else ():
        _require(path, name)
    problem = Problem(
        path=path,
        spec=spec,
        statement=_read_words(path, "statement"),
        editorial=_read_words(path, "editorial"),
        starter=_read_text(path, f"starter{suffix}"),
        hints=_read_toml(path, "hints.toml", HintFile).hints,
        rubric=_read_toml(path, "rubric.toml", Rubric),
        solution=_read_variant(path, f"solution{suffix}", Shelf.SOLUTION),
        cases=_require(path, "cases.py"),
        oracle=_require(path, "oracle.py"),
        probe=path / "probe.py" if (path / "probe.py").is_file() else None,
        read_shelf=partial(_read_shelf, path, suffix=suffix),
    )
    if is_whole:
        _ = problem.variants
    return problem


def _folders(root: Path) -> list[Path]:
    if not root.is_dir():
        return []
    return sorted(path for path in root.iterdir() if path.is_dir() and path.name[0] not in "._")


def _read_shelf(folder: Path, shelf: Shelf, *, suffix: str) -> tuple[Variant, ...]:
    files = sorted((folder / shelf).glob(f"*{suffix}"))
    return tuple(_read_variant(folder, f"{shelf}/{file.name}", shelf) for file in files)


def _read_variant(folder: Path, name: str, shelf: Shelf) -> Variant:
    source = _read_text(folder, name)
    try:
        whole = expand(source, name, lambda base: _read_text(folder, base))
        return parse_variant(folder / name, whole, shelf=shelf)
    except ValueError as error:
        raise _broken(folder, name, str(error)) from error


def _read_words(folder: Path, stem: str) -> Words:
    english, chinese = f"{stem}.en.md", f"{stem}.zh.md"
    try:
        return Words(en=_read_text(folder, english), zh=_read_text(folder, chinese))
    except ValueError as error:
        raise _broken(folder, f"{english}, {chinese}", str(error)) from error


def _read_toml(folder: Path, name: str, shape: type[T]) -> T:
    content = _read_text(folder, name)
    try:
        table = tomllib.loads(content)
    # RecursionError: too deeply nested brackets are an error of the file, not of the program.
    except (ValueError, RecursionError) as error:
        raise _Fault.of(folder, name, "toml", error=str(error)) from error
    try:
        return msgspec.convert(table, shape)
    except msgspec.ValidationError as error:
        raise _broken(folder, name, place_first(str(error))) from error


def place_first(complaint: str) -> str:
    """Return a complaint of ``msgspec`` with the place in front of the words."""
    # msgspec writes "Expected `int`, got `str` - at `$.minutes.practice`".
    words, _, place = complaint.partition(" - at ")
    return f"{re.sub(r'^`?[$][.]', '', place).strip('`')}: {words}" if place else words


def _read_text(folder: Path, name: str) -> str:
    try:
        return _require(folder, name).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise _Fault.of(folder, name, "utf8", error=str(error)) from error
    except OSError as error:
        raise _Fault.of(folder, name, "unreadable", error=error.strerror) from error


def _require(folder: Path, name: str) -> Path:
    path = folder / name
    if not path.is_file():
        raise _Fault.of(folder, name, "missing")
    return path


class _Fault(BrokenProblem):
    """Raised for a fault of a file whose reason has a message in both languages."""

    @classmethod
    def of(cls, folder: Path, file: str, fault: str, **values: object) -> "_Fault":
        """Create the error from the key of its reason and the values of the placeholders."""
        # The public value `reason` is English; `message` has the reader's language.
        reason = text(f"bank.broken.{fault}", "en", **values)
        named = {"problem": folder.name, "file": file, "reason": reason}
        return cls("bank.problem_broken", fault=fault, **(values | named))

    def message(self, lang: Lang) -> str:
        """Return the message with the reason in the reader's language."""
        reason = text(f"bank.broken.{self.values['fault']}", lang, **self.values)
        return text(f"{self.code}.message", lang, **(self.values | {"reason": reason}))


def _broken(folder: Path, file: str, reason: str) -> BrokenProblem:
    return BrokenProblem("bank.problem_broken", problem=folder.name, file=file, reason=reason)
