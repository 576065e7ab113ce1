"""Scaffold of a new problem: a folder with every file and its instructions.

An unwritten file contains a mark, and ``torchstone bank check`` rejects it.
"""

import re
from pathlib import Path

from torchstone.bank import template
from torchstone.bank.least import LEAST
from torchstone.bank.loader import load_bank
from torchstone.core.errors import BadInput
from torchstone.core.i18n import both

# The mark of an unwritten text, in each language; the templates contain it too.
MARKS = tuple(both("bank.unwritten.mark").values())
_NUMBER = re.compile(r"[0-9]{1,2}")
_SLUG = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_MAX_SLUG = 40
# These characters could end a TOML string or a Markdown heading.
_UNSAFE = re.compile(r'["\\\x00-\x1f\x7f]')


def scaffold_problem(
    root: Path, number: str, slug: str, *, title_en: str = "", title_zh: str = ""
) -> Path:
    """Write the folder of a new problem under ``root/problems``.

    Args:
        root: The folder of the bank.
        number: The number of the problem, ``"51"``.
        slug: Its name in words, ``"gelu"``.
        title_en: The English title, if it is known already.
        title_zh: The Chinese title, if it is known already.

    Returns:
        The folder.

    Raises:
        BadInput: The number or the name is taken or invalid.
    """
    if not _NUMBER.fullmatch(number) or not _SLUG.fullmatch(slug) or len(slug) > _MAX_SLUG:
        raise BadInput("bank.name_unusable", number=number, slug=slug)
    digits = number.zfill(2)
    if unsafe := next((title for title in (title_en, title_zh) if _UNSAFE.search(title)), None):
        raise BadInput("bank.title_unusable", title=repr(unsafe))
    _refuse_taken(root, digits, slug)
    folder = root / "problems" / f"{digits}_{slug}"
    values = {
        "number": digits,
        "slug": slug,
        "title_en": title_en or f"{MARKS[0]} {slug}",
        "title_zh": title_zh or f"{MARKS[1]} {slug}",
        **{f"least_{kind}": number for kind, number in LEAST.items()},
    }
    try:
        folder.mkdir(parents=True)
        for name in template.names("problem"):
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(template.fill("problem", name, **values), encoding="utf-8")
    except OSError as error:
        raise BadInput("bank.unwritable", path=folder, reason=error.strerror) from error
    return folder


def unwritten_files(folder: Path) -> tuple[str, ...]:
    """List the files of a problem that still contain the text of a template."""
    return tuple(
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".py", ".md", ".toml") and _is_unwritten(path)
    )


def _is_unwritten(path: Path) -> bool:
    content = path.read_text(encoding="utf-8", errors="replace")
    return any(mark in content for mark in MARKS)


def _refuse_taken(root: Path, number: str, slug: str) -> None:
    bank = load_bank(root, is_whole=False)
    folders = [problem.path.name for problem in bank]
    folders += [str(error.values["problem"]) for error in bank.broken]
    for folder in folders:
        taken_number, _, taken_slug = folder.partition("_")
        if number == taken_number or slug == taken_slug:
            raise BadInput("bank.name_taken", number=number, slug=slug, folder=folder)
