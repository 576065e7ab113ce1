"""Schemas of interviews from the records of ``app``, with the bank's texts as safe HTML."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any

from torchstone.app.interview.guiding import Guide
from torchstone.app.interview.showing import Asked
from torchstone.app.interview.viewing import Lead, Scored, SeatView, View
from torchstone.core.i18n import LANGS, Lang
from torchstone.web import interview_schemas as shape
from torchstone.web import prose
from torchstone.web.reports import inline_html, model_of
from torchstone.web.schemas import Words

_STATEMENT = "item"
_CALL = re.compile(r"^```cell[ \t]*\n.+?\n```[ \t]*$", re.MULTILINE)


def page_model(view: View, lang: Lang) -> shape.InterviewPage:
    """Create the schema of an interview for the one who answers."""
    fields = asdict(view) | {"last": view.last, "item": None}
    if view.item is not None:
        assert view.strategy is not None, "an item that is asked has a strategy"
        fields["item"] = shape.OfferedItem(
            **_asked(view.item, view.language, lang),
            strategy=Words(**view.strategy),
            because=view.item.because,  # type: ignore[arg-type]
        )
    return shape.InterviewPage.model_validate(fields)


def seat_model(view: SeatView, lang: Lang) -> shape.SeatPage:
    """Create the schema of the candidate's window: it takes over no field by itself."""
    return shape.SeatPage(
        id=view.id,
        state=view.state,  # type: ignore[arg-type]
        item_left_s=view.item_left_s,
        total_left_s=view.total_left_s,
        item=shape.SeatItem(**_asked(view.item, view.language, lang)) if view.item else None,
        draft=view.draft,
    )


def lead_model(lead: Lead, lang: Lang) -> shape.LeadPage:
    """Create the schema of an interview for the one who leads."""
    return shape.LeadPage(
        page=page_model(lead.view, lang),
        guide=None if lead.guide is None else _guide(lead.guide, lead.ticks),
        scored=[_scored(each) for each in lead.scored],
        notes=[shape.InterviewNote(**note) for note in lead.notes],
        remaining=[model_of(shape.RemainingItem, each) for each in lead.remaining],
        next_item=lead.next_item,
        next_because=lead.next_because,  # type: ignore[arg-type]
        form=lead.form,  # type: ignore[arg-type]
    )


def _asked(item: Asked, language: str | None, lang: Lang) -> dict[str, Any]:
    statement = None
    if item.statement is not None:
        statement = prose.render(item.statement[lang], lang=lang, prefix=_STATEMENT)
    return {
        "id": item.id,
        "kind": item.kind,
        "section": item.section,
        "minutes": item.minutes,
        "words": Words(**item.words),
        "statement": statement,
        "starter": item.starter,
        "before": None if item.before is None else prose.render_code(item.before),
        "after": None if item.after is None else prose.render_code(item.after),
        "claims": [shape.SeatClaim(id=name, line=line) for name, line in item.claims],
        "language": language,
    }


def _guide(guide: Guide, ticks: tuple[str, ...]) -> shape.GuideToItem:
    return shape.GuideToItem(
        purpose=[inline_html(each) for each in guide.purpose],
        answer=_prose(guide.answer, "answer"),
        points=[
            shape.GuidePoint(id=name, html=inline_html(words), weight=weight)
            for name, words, weight in guide.points
        ],
        misconceptions=[
            shape.GuidePoint(id=name, html=inline_html(words), weight=None)
            for name, words in guide.misconceptions
        ],
        probes=[
            shape.Probe(question=inline_html(question), answer=_prose(answer, f"probe-{number}"))
            for number, (question, answer) in enumerate(guide.probes)
        ],
        anchors=[inline_html(each) for each in guide.anchors],
        ticks=list(ticks),
    )


def _prose(markdown: dict[str, str], prefix: str) -> Words:
    """Convert a text of the bank without the cells that it calls."""
    return Words(
        **{
            lang: prose.render(_CALL.sub("", markdown[lang]), lang=lang, prefix=prefix).strip()
            for lang in LANGS
        }
    )


def _scored(scored: Scored) -> shape.ScoredItem:
    proposal = scored.proposal
    return shape.ScoredItem(
        outcome=model_of(shape.ItemOutcome, scored.outcome),
        words=Words(**scored.words),
        answer=scored.answer,
        skipped=scored.skipped,
        anchor=scored.anchor,
        evidence=scored.evidence,
        num_scores=scored.num_scores,
        anchors=[inline_html(each) for each in scored.anchors],
        proposal=None
        if proposal is None
        else shape.Proposal(anchor=proposal["anchor"], score=proposal["score"]),
    )
