"""Formatting of files for the terminal: the file of a problem, or any file of Python or C++."""

import asyncio
import stat
from dataclasses import dataclass
from pathlib import Path

from torchstone.app.home import Home
from torchstone.app.judging.formatting import Formatter
from torchstone.app.judging.source import MAX_SOURCE_BYTES, decode_text, read_content
from torchstone.app.problems.drafts import DraftKind, draft_path, read_draft, save_draft
from torchstone.app.problems.files import staged
from torchstone.bank.schema import Language
from torchstone.core.errors import NotFound

_LANGUAGES = {
    ".py": Language.PYTHON,
    **dict.fromkeys((".cu", ".cuh"), Language.CUDA),
    **dict.fromkeys((".cpp", ".cc", ".cxx", ".h", ".hpp"), Language.CPP),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FormattedFile:
    """The result of formatting a file.

    Args:
        path: The file.
        text: The formatted text; None if there is none.
        reason: Why there is no formatted text, in both languages.
        is_changed: Whether the formatted text differs from that of the file.
        is_written: Whether the file has the formatted text now.
    """

    path: Path
    text: str | None
    reason: dict[str, str] | None
    is_changed: bool
    is_written: bool


def format_file(home: Home, target: str, *, write: bool = False) -> FormattedFile:
    """Format a file, and write it if asked.

    Args:
        home: The learner's home.
        target: A file of Python, C++ or CUDA, or a problem, whose file in the workspace is meant.
        write: Whether a formatted text that differs replaces that of the file.

    Raises:
        NotFound: There is neither such a file nor such a problem, or its file does not exist yet.
        BadInput: The file cannot be read or written, or is not text.
        DraftConflict: The file of a problem was changed meanwhile; nothing is written.
    """
    language = _LANGUAGES.get(Path(target).suffix.casefold())
    if language is not None:
        return _format_path(home, Path(target), language, write=write)
    problem = home.problem(target)
    path = draft_path(home, problem, DraftKind.SOLUTION)
    draft = read_draft(home, problem.id)
    if not draft.exists:
        raise NotFound("app.not_started", path=path, problem=problem.id)
    found = _formatted(home, path, problem.spec.language, draft.text)
    if write and found.is_changed and found.text is not None:
        save_draft(home, problem.id, DraftKind.SOLUTION, found.text, base=draft.version)
    return _ended(found, write=write)


def _format_path(home: Home, path: Path, language: Language, *, write: bool) -> FormattedFile:
    content = read_content(path, max_bytes=MAX_SOURCE_BYTES)
    found = _formatted(home, path, language, decode_text(path, content.data))
    if write and found.is_changed and found.text is not None:
        # A link stays a link to the file that is written.
        with staged(path.resolve(), found.text.encode(), mode=stat.S_IMODE(content.mode)):
            pass
    return _ended(found, write=write)


def _formatted(home: Home, path: Path, language: Language, source: str) -> FormattedFile:
    done = asyncio.run(Formatter(home).format_text(language, source))
    return FormattedFile(
        path=path,
        text=done.text,
        reason=done.reason,
        is_changed=done.text is not None and done.text != source,
        is_written=False,
    )


def _ended(found: FormattedFile, *, write: bool) -> FormattedFile:
    return FormattedFile(
        path=found.path,
        text=found.text,
        reason=found.reason,
        is_changed=found.is_changed,
        is_written=write and found.is_changed,
    )
