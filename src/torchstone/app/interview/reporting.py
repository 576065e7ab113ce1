"""Reports of interviews, with texts of the bank."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torchstone.app.interview.marking import asserted_lines
from torchstone.app.interview.material import Material
from torchstone.core.errors import BadInput
from torchstone.core.i18n import Lang
from torchstone.interview.events import Event
from torchstone.interview.item import Item, Kind
from torchstone.interview.page import draw_page
from torchstone.interview.plan import Plan
from torchstone.interview.report import Wording, make_report, needed_wordings
from torchstone.interview.session import Folder


def report_on(
    material: Material, plan: Plan, events: Sequence[Event], *, name: str
) -> dict[str, Any]:
    """Return the report of an interview, finished or in progress."""
    session = Folder(material.pool).fold(events)
    needed = needed_wordings(material.pool, session)
    wordings = {item.id: word(material, item) for item in needed}
    return make_report(material.pool, plan, events, wordings, name=name)


def word(material: Material, item: Item) -> Wording:
    """Return the texts of an item and its points."""
    points: dict[str, dict[str, str]] = {}
    if item.kind is Kind.CONCEPT:
        question = material.question(item)
        points |= {each.id: {"en": each.en, "zh": each.zh} for each in question.key_points}
        points |= {each.id: {"en": each.en, "zh": each.zh} for each in question.misconceptions}
    elif item.kind is Kind.OPEN:
        for criterion in material.open_item(item).criteria:
            points[criterion.id] = {"en": criterion.en, "zh": criterion.zh}
    elif item.kind is Kind.PREDICT:
        lines = asserted_lines(material, item).items()
        points = {claim: {"en": f"`{line}`", "zh": f"`{line}`"} for claim, line in lines}
    return Wording(asked=material.words(item), points=points)


def write_report(report: dict[str, Any], path: Path, lang: Lang = "en") -> None:
    """Write a report as HTML, or as JSON with one value per line, according to the extension.

    Raises:
        BadInput: The file cannot be written.
    """
    if path.suffix.lower() == ".html":
        text = draw_page(report, lang)
    else:
        text = json.dumps(report, ensure_ascii=False, indent=1) + "\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput("interview.unwritable", path=path, reason=error.strerror) from error
