"""Schemas of a marked answer and of a model answer, with the bank's texts as sanitized HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from torchstone.app.home import Home
from torchstone.app.problems.catalog import title_of
from torchstone.app.questions.answered import Answered
from torchstone.app.questions.asking import Given
from torchstone.app.questions.cells import ShownCell, show_cells
from torchstone.app.questions.model_answer import read_model_answer
from torchstone.app.questions.question_state import known_question
from torchstone.bank.questions.texts import PARTS
from torchstone.core.i18n import Lang
from torchstone.web import prose
from torchstone.web import question_schemas as shape
from torchstone.web.highlight import highlight
from torchstone.web.library_lines import lines_model
from torchstone.web.reports import inline_html, model_of
from torchstone.web.schemas import Words

_CALL = re.compile(r"^```cell[ \t]*\n(?P<name>.+?)[ \t]*\n```[ \t]*$", re.MULTILINE)


def marked_model(answered: Answered, given: Given) -> shape.Marked:
    """Create the schema of a marked answer."""
    reason = answered.reason
    return shape.Marked(
        text=given.text,
        is_aloud=given.said is not None,
        found=[shape.FoundPoint(**_html(each)) for each in answered.found],
        missed=[shape.MissedPoint(**_html(each)) for each in answered.missed],
        misconceptions=[
            shape.NamedMisconception(**_html(each)) for each in answered.misconceptions
        ],
        coverage=answered.coverage,
        corrections=model_of(shape.Corrections, answered.corrections),
        marker=model_of(shape.Published, answered.marker) if answered.marker else None,
        rating=answered.rating,
        due=answered.due,
        rating_reason=Words(**reason.rating) if reason.rating else None,
        date_reason=Words(**reason.date) if reason.date else None,
    )


def answer_model(home: Home, number: str, lang: Lang) -> shape.ModelAnswer:
    """Create the schema of a model answer in one language."""
    found = read_model_answer(home, number)
    parts = found.parts[lang]
    return shape.ModelAnswer(
        parts=[
            shape.Part(name=name, pieces=list(_pieces(parts[name], name, lang)))  # type: ignore[arg-type]
            for name in PARTS
            if name in parts
        ],
        points=[shape.ModelPoint(**_html(point)) for point in found.points],
        cells=[_cell(cell) for cell in show_cells(home, number)],
        sources=[
            shape.CitedSource(id=name, html=inline_html(words))
            for name, words in found.sources.items()
        ],
        see=[
            shape.QuestionLink(id=each.id, words=Words(en=each.en, zh=each.zh))
            for other in found.see
            if (each := known_question(home.questions, other)) is not None
        ],
        problems=[
            shape.ProblemLink(id=each, title=Words(**title_of(home.problem(each))))
            for each in found.problems
        ],
        code=[lines_model(each) for each in found.code],
    )


def _html(each: Any) -> dict[str, Any]:
    fields = asdict(each)
    return fields | {"html": inline_html(fields.pop("words"))}


def _pieces(markdown: str, prefix: str, lang: Lang) -> Iterator[shape.Piece]:
    """Cut a text at the cells that it calls."""
    at = 0
    for number, call in enumerate(_CALL.finditer(markdown)):
        if (before := markdown[at : call.start()]).strip():
            yield _prose(before, f"{_slug(prefix)}-{number}", lang)
        yield shape.Piece(cell=call["name"].strip())
        at = call.end()
    if (rest := markdown[at:]).strip():
        yield _prose(rest, f"{_slug(prefix)}-end", lang)


def _slug(name: str) -> str:
    return name.replace("_", "-")


def _prose(markdown: str, prefix: str, lang: Lang) -> shape.Piece:
    return shape.Piece(html=prose.render(markdown, lang=lang, prefix=prefix))


def _cell(cell: ShownCell) -> shape.Cell:
    return shape.Cell(
        name=cell.name,
        html=prose.render_code(cell.source),
        source=cell.source,
        printed=cell.printed,
        torch=cell.torch,
        claims=[
            shape.CellClaim(id=claim.id, html=highlight(claim.line, "python"))
            for claim in cell.claims
        ],
        changes=[model_of(shape.CellChange, change) for change in cell.changes],
    )
