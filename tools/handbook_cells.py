"""Measure the cells of the handbook in the sandbox in which the Learn tab runs them.

For each chapter it runs all cells at once, and writes the time of each, and what ended the run if
not all of them ran, to ``docs/handbook/cells.toml``: the page then says beforehand how long a cell
takes, or why it does not run there.

Usage: ``python tools/handbook_cells.py [CHAPTER ...] [--all]``; without a name, what has changed.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

from torchstone.app.handbook.running import error_of, run_sources
from torchstone.bank.handbook import CELLS, Chapter, hash_cells, load_handbook

FILE = Path(__file__).resolve().parents[1] / "docs" / "handbook" / CELLS
LIMIT_S = 300
HEAD = """\
# What the cells of each chapter take in the sandbox of the Learn tab, on the machine that measured
# it: the seconds of each cell alone, and what ended the one after them. Written by
# tools/handbook_cells.py; a chapter whose cells have changed since counts as not measured.
"""


def main(arguments: list[str]) -> int:
    """Measure, and write the file after each chapter."""
    book = load_handbook(FILE.parent)
    known = tomllib.loads(FILE.read_text("utf-8"))["chapter"] if FILE.is_file() else {}
    kept = {name: each for name, each in known.items() if name in book.chapters}
    names = [each for each in arguments if not each.startswith("--")]
    for chapter in book.chapters.values():
        is_known = kept.get(chapter.id, {}).get("hash") == hash_cells(chapter.cells)
        is_asked = chapter.id in names or (not names and ("--all" in arguments or not is_known))
        if chapter.cells and is_asked:
            kept[chapter.id] = measure(chapter)
            print(chapter.id, kept[chapter.id], flush=True)
            FILE.write_text(HEAD + "".join(map(table_of, kept.items())), encoding="utf-8")
    return 0


def measure(chapter: Chapter) -> dict[str, object]:
    """Run a chapter; of one that meets a limit, run as many cells as end before it."""
    sources = [cell.source for cell in chapter.cells]
    end = None
    while sources:
        answer = run_sources(chapter, sources, LIMIT_S)
        error = error_of(answer)
        if error is None or error.kind == "raised":
            break
        end = error.kind
        sources.pop()
    seconds = [round(each, 1) for each in answer["seconds"]] if sources else []
    if sources and error is not None:
        end = error.type
        seconds.pop()
        print(chapter.id, len(seconds) + 1, error.type, error.message, flush=True)
    found: dict[str, object] = {"hash": hash_cells(chapter.cells), "seconds": seconds}
    return found | ({"end": end} if end else {})


def table_of(entry: tuple[str, dict[str, object]]) -> str:
    """Write a chapter as TOML."""
    name, found = entry
    end = f'end = "{found["end"]}"\n' if "end" in found else ""
    return f'\n[chapter.{name}]\nhash = "{found["hash"]}"\nseconds = {found["seconds"]}\n{end}'


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
