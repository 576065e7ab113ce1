"""Cells of ``demo.py``: what each shows, claims and prints. The file is only read, never run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

SETUP = "setup"
_HEAD = re.compile(r"^# %% (?P<head>\S.*)$", re.MULTILINE)
_CLAIM = re.compile(r"#\s*claim: (?P<id>[a-z0-9-]+)\s*$")
_OUTPUT = "# > "


@dataclass(frozen=True, kw_only=True)
class DemoCell:
    """A cell: code between two lines that begin with ``# %%``.

    Attributes:
        question: The id of its question; empty for the set-up, which all questions share.
        name: Its name; ``setup`` for the set-up.
        source: Its text.
        line: The number of its first line in the file, from 1.
    """

    question: str
    name: str
    source: str
    line: int

    @cached_property
    def claims(self) -> dict[int, str]:
        """Return the claims by the number of their line in the cell, from 1."""
        return {
            number: match["id"]
            for number, line in enumerate(self.source.splitlines(), 1)
            if (match := _CLAIM.search(line))
        }

    @cached_property
    def outputs(self) -> dict[int, tuple[str, ...]]:
        """Return the written outputs by the line of the cell on which their statement ends."""
        found: dict[int, tuple[str, ...]] = {}
        last = 0
        for number, line in enumerate(self.source.splitlines(), 1):
            if line == _OUTPUT.rstrip() or line.startswith(_OUTPUT):
                found[last] = (*found.get(last, ()), line[len(_OUTPUT) :])
            elif line.strip():
                last = number
        return found

    @property
    def num_lines(self) -> int:
        """Count the lines of code, without blank ones and outputs."""
        lines = self.source.splitlines()
        return sum(bool(line.strip()) and not line.startswith("# >") for line in lines)

    @property
    def printed(self) -> str:
        """Return everything that the cell prints, as it is written in the file."""
        return "\n".join(line for lines in self.outputs.values() for line in lines)

    def printing(self, outputs: dict[int, tuple[str, ...]]) -> str:
        """Return the text of the cell with other outputs, given as those of `outputs`."""
        kept: list[str] = []
        lines = self.source.splitlines(keepends=True)
        for number, line in enumerate(lines, 1):
            if line.startswith(_OUTPUT) or line.rstrip("\n") == _OUTPUT.rstrip():
                continue
            kept.append(line)
            kept += [f"{_OUTPUT}{text}".rstrip() + "\n" for text in outputs.get(number, ())]
        return "".join(kept)


@dataclass(frozen=True, kw_only=True)
class Demo:
    """All cells of a topic in the order of the file, and the lines before the first one."""

    cells: tuple[DemoCell, ...]
    head: str = ""

    @property
    def setup(self) -> tuple[DemoCell, ...]:
        """Return the cells that every question runs first."""
        return tuple(cell for cell in self.cells if not cell.question)

    def of(self, question: str) -> tuple[DemoCell, ...]:
        """Return the cells of a question, without the set-up."""
        return tuple(cell for cell in self.cells if cell.question == question)

    def cell(self, name: str) -> DemoCell | None:
        """Return the cell of a name; None if there is none."""
        return next((cell for cell in self.cells if cell.name == name), None)

    def claims_of(self, question: str) -> tuple[str, ...]:
        """Return the claims of a question in order."""
        return tuple(claim for cell in self.of(question) for claim in cell.claims.values())


def parse_demo(text: str) -> Demo:
    """Split ``demo.py`` into its cells."""
    first = _HEAD.search(text)
    head = text[: first.start()] if first else text
    return Demo(cells=tuple(_cells(text)), head=head)


def _cells(text: str) -> Iterator[DemoCell]:
    heads = list(_HEAD.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    for head, end in zip(heads, ends, strict=True):
        question, _, name = head["head"].strip().partition(" ")
        start = min(head.end() + 1, len(text))
        is_setup = question == SETUP and not name
        yield DemoCell(
            question="" if is_setup else question,
            name=SETUP if is_setup else name.strip(),
            source=text[start:end],
            line=text.count("\n", 0, start) + 1,
        )
