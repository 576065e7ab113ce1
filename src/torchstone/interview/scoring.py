"""Scores: dimensions and total with standard errors, verdict, and level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from torchstone.interview.ability import (
    DIMENSIONS,
    WEIGHTS,
    Ability,
    Scale,
    chance_above,
    estimate,
    place,
    prior,
)
from torchstone.interview.draw import Setting
from torchstone.interview.item import Kind
from torchstone.interview.levels import LEVELS, Level
from torchstone.interview.session import Entry

ENOUGH_SE = 6.0
HIRE = 60.0
_LEVEL_CHANCE = 0.8
# Without a working program, prose about code is not sufficient for *hire*.
_LEAST_CODE = 0.5


class Band(StrEnum):
    """Bands of the total, in ascending order."""

    NO = "no"
    BORDERLINE = "borderline"
    HIRE = "hire"
    STRONG_HIRE = "strong_hire"


_BOUNDS = ((75.0, Band.STRONG_HIRE), (60.0, Band.HIRE), (45.0, Band.BORDERLINE))
_ORDER = tuple(Band)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Verdict of the total.

    Args:
        word: Band; None if the evidence is insufficient, or the total straddles two bands.
        low: Band of the total minus its standard error.
        high: Band of the total plus its standard error.
        enough: Whether the standard error is small enough for a verdict.
        missing_minutes: Estimated additional minutes needed; 0 if the evidence is sufficient.
        missing_in: Dimension with the least evidence; empty if the evidence is sufficient.
        capped_by: ``code`` if only the programs keep the verdict below *hire*.
    """

    word: Band | None
    low: Band
    high: Band
    enough: bool
    missing_minutes: int
    missing_in: str
    capped_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Scores of an interview.

    Args:
        levels: For each level, the probability that the total on its reference items is at least
            60.
        level: Highest level with a probability of at least 0.8; None if there is none.
        code: Mean score of the programs; None if there were none.
    """

    scale: Scale
    ability: Ability
    verdict: Verdict
    levels: dict[Level, float]
    level: Level | None
    code: float | None


def score_entries(setting: Setting, entries: Sequence[Entry]) -> Result:
    """Compute the scores of an interview's entries."""
    counted = [entry for entry in entries if entry.is_over and entry.score is not None]
    responses = [each for entry in counted if (each := entry.past().response())]
    ability = estimate(responses, setting.mean) if responses else prior(setting.mean)
    scale = place(ability, setting.mean)
    programs = [
        entry.score for entry in counted if entry.item.kind is Kind.CODE and entry.score is not None
    ]
    code = sum(programs) / len(programs) if programs else None
    levels = {}
    for level, facts in LEVELS.items():
        seen = place(ability, facts.mean)
        levels[level] = chance_above(seen.total, seen.error, HIRE)
    reached = [level for level in LEVELS if levels[level] >= _LEVEL_CHANCE]
    minutes = sum(((entry.ended_ms or 0) - entry.begun_ms) / 60_000 for entry in counted)
    return Result(
        scale=scale,
        ability=ability,
        verdict=_decide(setting, scale, ability, code, minutes),
        levels=levels,
        level=reached[-1] if reached else None,
        code=code,
    )


def band_of(total: float) -> Band:
    """Return the band of a total."""
    return next((band for bound, band in _BOUNDS if total >= bound), Band.NO)


def _decide(
    setting: Setting, scale: Scale, ability: Ability, code: float | None, minutes: float
) -> Verdict:
    low, high = band_of(scale.total - scale.error), band_of(scale.total + scale.error)
    middle = band_of(scale.total)
    capped = ""
    if code is not None and code < _LEAST_CODE:
        limit = Band.BORDERLINE
        if _ORDER.index(high) > _ORDER.index(limit):
            capped = "code"
        low, middle, high = (min(each, limit, key=_ORDER.index) for each in (low, middle, high))
    enough = scale.error <= ENOUGH_SE
    # Half an hour gives only an indication, however small the estimated error.
    may_decide = enough and setting.format != "quick"
    return Verdict(
        word=middle if may_decide and low is high else None,
        low=low,
        high=high,
        enough=may_decide,
        missing_minutes=0 if enough else _missing(setting, scale, minutes),
        missing_in="" if enough else _weakest(scale),
        capped_by=capped,
    )


def _missing(setting: Setting, scale: Scale, minutes: float) -> int:
    """Return the additional minutes needed, extrapolated from the rate so far."""
    before = 1 / place(prior(setting.mean), setting.mean).error ** 2
    gained = 1 / scale.error**2 - before
    wanted = 1 / ENOUGH_SE**2 - before
    if minutes <= 0 or gained <= 0:
        return setting.minutes
    return max(1, round(minutes * (wanted / gained - 1)))


def _weakest(scale: Scale) -> str:
    pulls = [weight * error for weight, error in zip(WEIGHTS, scale.errors, strict=True)]
    return DIMENSIONS[pulls.index(max(pulls))]
