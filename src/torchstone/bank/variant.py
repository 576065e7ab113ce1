"""Model programs of a problem, and the parser of the verdicts expected in their headers.

::

    # wrong/no_shift.py
    # verdict: WA value | RTE
    # group: scale
    # en: exp overflows above 88 in float32;
    #   subtract the slice's maximum first.
    # zh: float32 中 exp 超过 88 就溢出；先减去该切片的最大值。

An indented line after ``#`` continues the line before it. With ``over`` in its header the file
holds only the changes to another program of the problem, see ``core.patch``.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from torchstone.bank.schema import Language, Words
from torchstone.core.verdict import Aspect, ExitCode, Verdict

# A comment of Python, or of C++.
_FIELD = re.compile(r"(?:#|//) (?P<key>[a-z]+): *(?P<value>\S.*)")
_CONTINUATION = re.compile(r"(?:#|//)(?: {2,}|\t)(?P<value>\S.*)")


class Shelf(StrEnum):
    """The folder of a model program; it determines the program's purpose."""

    SOLUTION = "solution"
    GOOD = "good"
    WRONG = "wrong"
    CHEATS = "cheats"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A verdict, with its aspect when it is WA."""

    verdict: Verdict
    aspect: Aspect | None = None

    def __str__(self) -> str:
        """Return the outcome as in a header, e.g. ``WA grad``."""
        return f"{self.verdict} {self.aspect}" if self.aspect else str(self.verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A model program: a right answer, or a program that must fail for a stated reason.

    Args:
        name: The stem of the file; for a wrong answer it is the name of the misconception.
        path: The file.
        shelf: Its folder.
        source: The whole program; a patch is expanded.
        verdict: The expected verdict.
        aspect: The expected aspect of a WA.
        alternatives: Further expected outcomes.
        group: The group of cases in which it must fail; ``None`` allows any group.
        words: The misconception or the trick; for a right answer its style, if the header has one.
    """

    name: str
    path: Path
    shelf: Shelf
    source: str
    verdict: Verdict = Verdict.AC
    aspect: Aspect | None = None
    alternatives: tuple[Outcome, ...] = ()
    group: str | None = None
    words: Words | None = None

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Return every expected outcome."""
        return (Outcome(verdict=self.verdict, aspect=self.aspect), *self.alternatives)

    def accepts(self, verdict: Verdict, aspect: Aspect | None) -> bool:
        """Return whether a verdict is one of the expected outcomes."""
        return Outcome(verdict=verdict, aspect=aspect) in self.outcomes


def parse_variant(path: Path, source: str, *, shelf: Shelf) -> Variant:
    """Read the header of a model program.

    Raises:
        ValueError: The header of a wrong answer or a cheat lacks a field or has an invalid one.
    """
    if shelf in (Shelf.SOLUTION, Shelf.GOOD):
        return Variant(name=path.stem, path=path, shelf=shelf, source=source)
    fields = _read_header(source)
    required = ["verdict", "en", "zh"]
    # A wrong package can fail before the first case: its build or its import fails.
    if shelf is Shelf.WRONG and path.suffix != Language.BUNDLE.suffix:
        required.append("group")
    missing = [key for key in required if key not in fields]
    if missing:
        raise ValueError(f"the header must have the fields {required}; {missing} are missing")
    first, *alternatives = _read_outcomes(fields["verdict"])
    return Variant(
        name=path.stem,
        path=path,
        shelf=shelf,
        source=source,
        verdict=first.verdict,
        aspect=first.aspect,
        alternatives=tuple(alternatives),
        group=fields.get("group"),
        words=Words(en=fields["en"], zh=fields["zh"]),
    )


def _read_header(source: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    open_key = ""
    for line in source.splitlines():
        if not line.startswith(("#", "//")):
            break
        if match := _FIELD.fullmatch(line.rstrip()):
            open_key = match["key"]
            if open_key in fields:
                raise ValueError(f"the header field `{open_key}` must occur once; it occurs twice")
            fields[open_key] = match["value"]
        elif open_key and (match := _CONTINUATION.fullmatch(line.rstrip())):
            # Chinese has no spaces between words, so a broken line is joined without one.
            fields[open_key] += ("" if open_key == "zh" else " ") + match["value"]
        else:
            open_key = ""
    return fields


def _read_outcomes(header: str) -> list[Outcome]:
    return [_read_outcome(part.strip()) for part in header.split("|")]


def _read_outcome(words: str) -> Outcome:
    code, *rest = words.split() or [""]
    try:
        verdict = Verdict(code)
        aspect = Aspect(" ".join(rest)) if rest else None
    except ValueError as error:
        raise ValueError(
            f"expected a verdict, one of {[v.value for v in Verdict]}, or WA with its aspect, "
            f"one of {[a.value for a in Aspect]}; got {words!r}"
        ) from error
    if verdict.exit_code is not ExitCode.NOT_ACCEPTED:
        raise ValueError(f"a wrong program must have a refusing verdict; got {words!r}")
    if (verdict is Verdict.WA) != (aspect is not None):
        raise ValueError(
            f"WA must have an aspect, and no other verdict may have one; got {words!r}"
        )
    return Outcome(verdict=verdict, aspect=aspect)
