"""Model programs of a problem, and the parser of the verdicts expected in their headers.

::

    # wrong/no_shift.py
    # verdict: WA value | RTE
    # group: scale
    # en: exp overflows above 88 in float32;
    #   subtract the slice's maximum first.
    # zh: float32 中 exp 超过 88 就溢出；先减去该切片的最大值。

A line indented after its ``#`` goes on with the line before it. A header may say ``over``: then the
file holds only what differs from another program of the problem, see ``core.patch``.
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
    """Where a model program stands, and so what it is for."""

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
        """Write the outcome as a header does, e.g. ``WA grad``."""
        return f"{self.verdict} {self.aspect}" if self.aspect else str(self.verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One model program: a right answer, or one that must be refused for a stated reason.

    Args:
        name: The file's stem; of a wrong program it is the name of the misconception.
        path: The file.
        shelf: The folder it stands in.
        source: The whole program; of a patch, what it expands to.
        verdict: The verdict it must get.
        aspect: The aspect of a WA.
        alternatives: Further outcomes that are honest as well.
        group: The group of cases it must fail in; ``None`` leaves it open.
        words: The misconception or the trick; of a right answer its style, if it says one.
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
        """Return every outcome that keeps the header's word."""
        return (Outcome(verdict=self.verdict, aspect=self.aspect), *self.alternatives)

    def accepts(self, verdict: Verdict, aspect: Aspect | None) -> bool:
        """Return whether the judge found what the header says."""
        return Outcome(verdict=verdict, aspect=aspect) in self.outcomes


def parse_variant(path: Path, source: str, *, shelf: Shelf) -> Variant:
    """Read the header of a model program.

    Raises:
        ValueError: The header of a wrong program or a cheat lacks a field or has an unusable one.
    """
    if shelf in (Shelf.SOLUTION, Shelf.GOOD):
        return Variant(name=path.stem, path=path, shelf=shelf, source=source)
    fields = _read_header(source)
    wanted = ["verdict", "en", "zh"]
    # A package may be wrong before it is asked anything: it is not built, or not imported.
    if shelf is Shelf.WRONG and path.suffix != Language.BUNDLE.suffix:
        wanted.append("group")
    missing = [key for key in wanted if key not in fields]
    if missing:
        raise ValueError(f"header fields {wanted} are wanted, without {missing} it came")
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
                raise ValueError(f"the header field `{open_key}` is wanted once, it came twice")
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
            f"a verdict is wanted, one of {[v.value for v in Verdict]}, of WA with its aspect, "
            f"one of {[a.value for a in Aspect]}; got {words!r}"
        ) from error
    if verdict.exit_code is not ExitCode.NOT_ACCEPTED:
        raise ValueError(f"a refusal is wanted for a program that is wrong, got {words!r}")
    if (verdict is Verdict.WA) != (aspect is not None):
        raise ValueError(f"an aspect is wanted for WA and for nothing else, got {words!r}")
    return Outcome(verdict=verdict, aspect=aspect)
