"""Parity check: compare the structure of the English and the Chinese text of a problem.

Headings have the same levels in order, code cells of an editorial are the same byte for byte, and
the question numbers and images are the same. A statement only needs the same kinds of cells: its
example may have comments in the reader's language.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from torchstone.bank.markdown import Outline, outline
from torchstone.bank.problem import Problem
from torchstone.bank.schema import Words
from torchstone.core.i18n import Lang, text

_QUESTION_ID = re.compile(r"(?<![\d.])\d+(?:\.\d+){4}(?![\d.]*\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """A difference between the languages.

    Args:
        code: The catalogue key of the message.
        file: The stem of the two files, ``statement`` or ``editorial``.
        values: The values of the placeholders in the message.
    """

    code: str
    file: str
    values: dict[str, object] = field(default_factory=dict)

    def said_in(self, lang: Lang) -> str:
        """Describe the difference for the author of the problem."""
        return text(self.code, lang, file=self.file, **self.values)


def check_parity(problem: Problem) -> list[Mismatch]:
    """List the differences between the two languages of a problem; empty if there are none.

    The list includes a missing image, because it is missing in both languages.
    """
    return [
        *compare_texts("statement", problem.statement, same_code=False),
        *compare_texts("editorial", problem.editorial, same_code=True),
        *_absent_pictures(problem.path, "statement", problem.statement),
        *_absent_pictures(problem.path, "editorial", problem.editorial),
    ]


def compare_texts(file: str, words: Words, *, same_code: bool) -> list[Mismatch]:
    """List the differences between the two languages of one text."""
    english, chinese = outline(words.en), outline(words.zh)
    return [
        *_unclosed(file, english, chinese),
        *_compare_headings(file, english, chinese),
        *_compare_cells(file, english, chinese, same_code=same_code),
        *_compare_sets(
            "bank.parity_ids",
            file,
            set(_QUESTION_ID.findall(english.prose)),
            set(_QUESTION_ID.findall(chinese.prose)),
        ),
        *_compare_sets("bank.parity_pictures", file, set(english.pictures), set(chinese.pictures)),
    ]


def _absent_pictures(folder: Path, file: str, words: Words) -> list[Mismatch]:
    named = {*outline(words.en).pictures, *outline(words.zh).pictures}
    return [
        Mismatch(code="bank.picture_absent", file=file, values={"picture": picture})
        for picture in sorted(named)
        if not (folder / picture).is_file()
    ]


def _unclosed(file: str, english: Outline, chinese: Outline) -> list[Mismatch]:
    return [
        Mismatch(code="bank.parity_unclosed", file=file, values={"lang": lang, "line": cell.line})
        for lang, side in (("en", english), ("zh", chinese))
        for cell in side.cells
        if not cell.is_closed
    ]


def _compare_headings(file: str, english: Outline, chinese: Outline) -> list[Mismatch]:
    levels = [[heading.level for heading in side.headings] for side in (english, chinese)]
    if levels[0] == levels[1]:
        return []
    values: dict[str, object] = {"en": levels[0], "zh": levels[1]}
    return [Mismatch(code="bank.parity_headings", file=file, values=values)]


def _compare_cells(
    file: str, english: Outline, chinese: Outline, *, same_code: bool
) -> list[Mismatch]:
    if len(english.cells) != len(chinese.cells):
        counts: dict[str, object] = {"en": len(english.cells), "zh": len(chinese.cells)}
        return [Mismatch(code="bank.parity_cell_count", file=file, values=counts)]
    pairs = zip(english.cells, chinese.cells, strict=True)
    return [
        Mismatch(
            code="bank.parity_cell",
            file=file,
            values={"number": number, "en_line": en.line, "zh_line": zh.line},
        )
        for number, (en, zh) in enumerate(pairs, start=1)
        if en.info != zh.info or (same_code and en.source != zh.source)
    ]


def _compare_sets(code: str, file: str, english: set[str], chinese: set[str]) -> list[Mismatch]:
    if english == chinese:
        return []
    values: dict[str, object] = {
        "en": ", ".join(sorted(english - chinese)) or "-",
        "zh": ", ".join(sorted(chinese - english)) or "-",
    }
    return [Mismatch(code=code, file=file, values=values)]
