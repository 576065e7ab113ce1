"""``sentences.toml``: which cases test each sentence of a problem's statement.

The file lists the rules of the English statement, each by its own words, with the groups of cases
that test it and the wrong answers and cheats that break it. Everything under a heading of level two
is a rule, but for code, for the example and for the section that says how it is judged. A sentence
that no row repeats has no case.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence

import msgspec

from torchstone.bank.groups import declared_groups
from torchstone.bank.loader import place_first
from torchstone.bank.markdown import outline
from torchstone.bank.parity import Mismatch
from torchstone.bank.problem import Problem

FILE = "sentences.toml"
_NO_RULES = ("Example", "How it is judged")
_SECTION = re.compile(r"^ {0,3}##[ \t]+", re.MULTILINE)
# What begins an item of a list, or a heading below the sections.
_MARK = re.compile(r"^ *(?:[-*+]|\d+\.|#{3,6})[ \t]+", re.MULTILINE)
_SHOWN = 100


class Sentence(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row: a sentence, or a part of one, and what tests it.

    Attributes:
        en: Its words as they stand in ``statement.en.md``; line breaks do not count.
        groups: Groups of cases in which a program that breaks it fails.
        refused: Programs that break it, ``wrong/NAME`` or ``cheats/NAME``.
        why: Why there is no case, where it states no rule.
    """

    en: str
    groups: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    why: str = ""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    sentence: tuple[Sentence, ...]


def check_sentences(problem: Problem) -> list[Mismatch]:
    """List what is wrong with the rows of a problem; nothing where it has no such file."""
    path = problem.path / FILE
    if not path.is_file():
        return []
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        rows = msgspec.convert(content, _File).sentence
    except (ValueError, RecursionError) as error:
        return [_mismatch("sentence_unreadable", reason=place_first(str(error)))]
    refused = (*problem.wrong, *problem.cheats)
    named = {f"{each.shelf}/{each.name}": each.group for each in refused}
    groups = declared_groups(problem)
    wrong_rows = [each for row in rows for each in _wrong_with(row, groups, named)]
    return [*wrong_rows, *_compare(rules_of(problem.statement.en), rows)]


def rules_of(statement: str) -> str:
    """Return the words of a statement that are rules, on one line."""
    _, *sections = _SECTION.split(outline(statement).prose)
    parts = (section.partition("\n") for section in sections)
    rules = (_MARK.sub("", text) for title, _, text in parts if title.strip() not in _NO_RULES)
    return " ".join(" ".join(rules).split())


def _wrong_with(
    row: Sentence, groups: Sequence[str], named: dict[str, str | None]
) -> Iterator[Mismatch]:
    """Yield what is wrong with one row: what it names, and whether it names anything."""
    shown = row.en[:_SHOWN]
    if bool(row.why) == bool(row.groups or row.refused):
        yield _mismatch("sentence_untested", sentence=shown)
    for group in row.groups:
        if group not in groups:
            yield _mismatch("sentence_group", sentence=shown, group=group)
    for name in row.refused:
        if name not in named:
            yield _mismatch("sentence_program", sentence=shown, name=name)
        elif row.groups and named[name] not in (None, *row.groups):
            yield _mismatch("sentence_elsewhere", sentence=shown, name=name, group=named[name])


def _compare(rules: str, rows: Sequence[Sentence]) -> Iterator[Mismatch]:
    """Yield the rows that repeat nothing of the rules, and what of these no row repeats."""
    is_free = bytearray(b"\1") * len(rules)
    for row in rows:
        words = " ".join(row.en.split())
        places = [match.start() for match in re.finditer(re.escape(words), rules)] if words else []
        if not places:
            yield _mismatch("sentence_gone", sentence=row.en[:_SHOWN])
        for place in places:
            is_free[place : place + len(words)] = bytes(len(words))
    rest = "".join(each if free else "\n" for each, free in zip(rules, is_free, strict=True))
    for piece in rest.split("\n"):
        if re.search(r"\w", piece):
            yield _mismatch("sentence_without_case", sentence=piece.strip()[:_SHOWN])


def _mismatch(code: str, **values: object) -> Mismatch:
    return Mismatch(code=f"bank.{code}", file=FILE, values=values)
