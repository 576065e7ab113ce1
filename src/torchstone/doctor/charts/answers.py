"""Answer queries of a page about a run, as JSON lines, until standard input ends."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from torchstone.core.event_program import write_event
from torchstone.core.i18n import Lang
from torchstone.doctor.charts.view import View
from torchstone.doctor.read.arriving import ArrivingPath
from torchstone.doctor.read.nsys_tables import MAGIC
from torchstone.doctor.refusal import Refusal

Answer = dict[str, Any]


def answer_questions(
    questions: IO[str], refuse: Callable[[Refusal, Lang], Answer]
) -> Iterator[Answer]:
    """Yield an answer for each line; the first query opens the files.

    Args:
        questions: Lines such as ``{"ask": "open", "files": ["a.json"], "columns": 1200}``.
        refuse: Creates the answer to an invalid query.
    """
    view: View | None = None
    for line in questions:
        asked = json.loads(line)
        try:
            if asked["ask"] == "open":
                view = View(_paths(asked["files"], is_arriving=asked["is_arriving"]))
                yield {"event": "overview", **view.overview(asked["columns"])}
            elif view is None:
                raise Refusal("num_files", came=0, most=1)
            else:
                yield _answer(view, asked)
        except Refusal as refusal:
            yield refuse(refusal, asked.get("lang", "en"))


def _paths(files: list[str], *, is_arriving: bool) -> list[Path]:
    """Return the paths of files, of which the last may still be incomplete."""
    paths = [Path(each) for each in files]
    if is_arriving:
        last = ArrivingPath(files[-1])
        # A database must be complete, because its pages refer to each other.
        with last.open() as file:
            is_database = file.read(len(MAGIC)) == MAGIC
        if is_database:
            last.wait()
        paths[-1] = last
    return paths


def _answer(view: View, asked: Answer) -> Answer:
    ask = asked["ask"]
    if ask == "report":
        report = {"event": "end", **view.report(asked["lang"])}
        return {"event": "report", "report": report, "links": view.links()}
    if ask == "picture":
        return view.drawn(asked["begin"], asked["end"], asked["columns"], asked["finding"])
    if ask == "flame":
        flame = view.flame(asked["thread"], asked["begin"], asked["end"], asked["finding"])
        return {"event": "flame", **asdict(flame)}
    if ask == "gap":
        return {"event": "gap", **asdict(view.gap(asked["account"], asked["number"]))}
    if ask == "gaps":
        return {"event": "gaps", "gaps": [asdict(each) for each in view.gaps(asked["account"])]}
    found = view.event(asked["track"], asked["moment"])
    return {"event": "found", "found": None if found is None else asdict(found)}


def serve(refuse: Callable[[Refusal, Lang], Answer]) -> int:
    """Answer the lines of standard input; return 0 at its end."""
    for answer in answer_questions(sys.stdin, refuse):
        write_event(answer)
    return 0
