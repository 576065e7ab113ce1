"""Schemas of the report of an interview: what its page draws, without the events."""

from __future__ import annotations

from typing import Any, Literal

from torchstone.web.schemas import ApiModel, Words

Dimension = Literal["foundations", "practice", "optimisation", "innovation"]
Band = Literal["no", "borderline", "hire", "strong_hire"]


class Scale(ApiModel):
    """A score of 0 to 100 and its standard error."""

    score: float
    se: float


class Dimensions(ApiModel):
    """The four dimensions."""

    foundations: Scale
    practice: Scale
    optimisation: Scale
    innovation: Scale


class InterviewVerdict(ApiModel):
    """What the total says, or how many minutes more it would take."""

    word: Band | None
    band_low: Band
    band_high: Band
    enough: bool
    missing_minutes: int | None
    missing_in: Dimension | None
    capped_by: str | None


class ReportedItem(ApiModel):
    """An item, its score, and who gave it."""

    id: str
    kind: str
    section: int
    b: float
    asked: Words
    minutes: float
    used_s: float
    is_cut_off: bool
    score: float | None
    by: str
    machine_score: float | None
    human_score: float | None
    anchor: int | None
    quote: str | None
    verdict: str | None
    is_unsure: bool
    skipped: str | None


class ReportedPoint(ApiModel):
    """A point of an answer, and the sentence that shows it."""

    item: str
    dimension: Dimension
    point: str
    words: Words
    what: Literal["hit", "missed", "wrong"]
    quote: str


class NextStep(ApiModel):
    """What would raise the total most if it were mastered."""

    item: str
    review: str
    words: Words
    why: Literal["missed", "new"]
    gain: float


class ReportedNote(ApiModel):
    """A note of the one who led."""

    elapsed_s: float
    item: str
    text: str
    is_quote: bool


class TimelinePoint(ApiModel):
    """The total after an answer."""

    item: str
    minute: float
    b: float
    score: float
    total: float
    se: float


class Accommodations(ApiModel):
    """What was chosen before the start."""

    factor: float


class InterviewReport(ApiModel):
    """The report of an interview, finished or not."""

    id: str
    level: str
    minutes: int
    mode: Literal["self", "conduct"]
    form: Literal["adaptive", "fixed", "changed"]
    seed: int
    label: str
    state: str
    elapsed_s: float
    is_indication: bool
    accommodations: Accommodations
    interruptions: list[dict[str, Any]]
    dimensions: Dimensions
    total: Scale
    verdict: InterviewVerdict
    levels: dict[str, float]
    level_reached: str | None
    items: list[ReportedItem]
    evidence: list[ReportedPoint]
    advice: list[NextStep]
    notes: list[ReportedNote]
    timeline: list[TimelinePoint]
    plan_hash: str
    bank_hash: str
    hash: str
