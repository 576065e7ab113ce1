"""Figures of detector findings: threads, lines, the element, and the barrier between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from torchstone.cudasim.findings import RACES, Finding, Party, Place
from torchstone.cudasim.missing import find_missing_barrier, rank_of
from torchstone.cudasim.report import hint
from torchstone.cudasim.subscripts import find_element
from torchstone.cudasim.words import Lang
from torchstone.judge.build.records import HazardPartyTable, HazardTable

LANGS: tuple[Lang, ...] = ("en", "zh")
MOST_HAZARDS = 8
MOST_WARPS = 32
MOST_TEXT = 200
_FIGURES = {
    **dict.fromkeys(RACES, "race"),
    **dict.fromkeys(("out-of-bounds", "use-after-free", "misaligned"), "bounds"),
    "uninitialized": "unwritten",
    **dict.fromkeys(("barrier-divergence", "warp-divergence", "invalid-mask"), "barrier"),
}
_RETURN = re.compile(r"\breturn\s*;")
_COMMENT = re.compile(r"//|/\*")


def tables_of(found: Sequence[Finding], source: str, name: str) -> list[HazardTable]:
    """Return the data for figures of the first findings.

    Args:
        found: The findings, in the order of the report.
        source: The text of the submission.
        name: The file name of the submission in the findings.
    """
    return [
        _table(each, number, source, name)
        for number, each in enumerate(found)
        if each.kind in _FIGURES and each.at is not None
    ][:MOST_HAZARDS]


def _table(finding: Finding, number: int, source: str, name: str) -> HazardTable:
    lines = source.split("\n")
    element, missing = find_element(finding, source), find_missing_barrier(finding, source)
    at, other = finding.at, finding.other
    assert at is not None, "a finding without a thread has no figure"
    return {
        "figure": _FIGURES[finding.kind],
        "finding": number,
        "kind": finding.kind,
        "space": finding.space,
        "kernel": finding.kernel[:MOST_TEXT],
        "array": element.array[:MOST_TEXT],
        "index": list(element.index),
        "shape": list(element.shape),
        "offset": finding.offset,
        "allocation_bytes": finding.allocation_bytes,
        "access_bytes": finding.access_bytes,
        "count": finding.count,
        "hint": {lang: hint(finding, lang) for lang in LANGS},
        "size": list(finding.size),
        "at": _party(at, finding, lines, name),
        "other": _party(other, finding, lines, name) if other is not None else None,
        "barrier": _line_of(finding.barrier, name),
        "missing": None if missing is None else {"line": missing.line, "call": missing.call},
        "arrived": list(finding.arrived[:MOST_WARPS]),
        "left": _left(finding, lines, name),
    }


def _party(party: Party, finding: Finding, lines: Sequence[str], name: str) -> HazardPartyTable:
    line, rank = _line_of(party.place, name), rank_of(party, finding.size)
    return {
        "line": line,
        "text": lines[line - 1].strip()[:MOST_TEXT] if line and line <= len(lines) else "",
        "block": list(party.block),
        "thread": list(party.thread),
        "warp": rank // 32,
        "lane": rank % 32,
        "is_write": party.is_write,
    }


def _line_of(place: Place | None, name: str) -> int | None:
    return place.line if place is not None and PurePosixPath(place.file).name == name else None


def _left(finding: Finding, lines: Sequence[str], name: str) -> int | None:
    """Return the only line above a barrier at which threads can leave the kernel."""
    line = _line_of(finding.place, name)
    if finding.kind != "barrier-divergence" or finding.other is not None or line is None:
        return None
    above = "\n".join(lines[: line - 1])
    code = _without_comments(above)
    kernel = max(code.rfind("__global__"), 0)
    exits = [code.count("\n", 0, each.start()) + 1 for each in _RETURN.finditer(code, kernel)]
    return exits[0] if len(exits) == 1 else None


def _without_comments(text: str) -> str:
    """Replace comments by spaces, in linear time; line numbers stay the same."""
    parts, at = list[str](), 0
    while (found := _COMMENT.search(text, at)) is not None:
        end = text.find("\n" if found[0] == "//" else "*/", found.end())
        end = len(text) if end < 0 else end + 2 * (found[0] != "//")
        parts += [text[at : found.start()], re.sub(r"[^\n]", " ", text[found.start() : end])]
        at = end
    return "".join([*parts, text[at:]])
