"""Simulation of candidates: accuracy, calibration, reliability, verdicts and item exposure.

A candidate has an ability in four dimensions, drawn around the level's mean. The simulated truth
differs from the model of the estimate: an answer depends on the mixture of the dimensions, and an
item's difficulty varies between candidates.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from torchstone.interview.ability import (
    SLOPE,
    Ability,
    Vector,
    estimate,
    place,
    prior,
    sigmoid,
)
from torchstone.interview.choosing import Chooser, Offer, Past
from torchstone.interview.draw import Setting, draw
from torchstone.interview.item import Item, Pool
from torchstone.interview.levels import LEVELS, Level
from torchstone.interview.outline import Outline
from torchstone.interview.plan import make_plan
from torchstone.interview.scoring import ENOUGH_SE
from torchstone.interview.stream import Stream

_CORRELATION = 0.6
# Standard deviation of an item's difficulty between candidates.
_WHIM = 0.25
_OTHER_FORM = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Simulated design: length, level, and whether the interview is adaptive."""

    minutes: int
    level: Level
    is_adaptive: bool = True

    @property
    def name(self) -> str:
        """Return the name of the item selection."""
        return "adaptive" if self.is_adaptive else "form"


DESIGNS = (
    Design(minutes=30, level=Level.MID),
    Design(minutes=60, level=Level.MID, is_adaptive=False),
    Design(minutes=60, level=Level.MID),
    Design(minutes=60, level=Level.JUNIOR),
    Design(minutes=60, level=Level.SENIOR),
    Design(minutes=60, level=Level.EXPERT),
    Design(minutes=140, level=Level.MID),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Results of a design over many candidates, in points of the total.

    Args:
        num_items: Mean number of items.
        rmse: Root mean square error of the estimate.
        bias: Mean error of the estimate.
        se: Mean estimated standard error.
        coverage: Share of candidates whose true total lies within one standard error.
        r_two_forms: Correlation between two interviews of the same candidate.
        mean_difference: Mean difference of the totals, first minus second interview.
        verdicts: Share of interviews with an error small enough for a verdict.
        exposure: Share of interviews that contain the most exposed item.
    """

    minutes: int
    level: str
    how: str
    candidates: int
    num_items: float
    rmse: float
    bias: float
    se: float
    coverage: float
    r_two_forms: float
    mean_difference: float
    verdicts: float
    exposure: float


@dataclass(frozen=True, slots=True)
class _Seen:
    total: float
    error: float
    items: tuple[str, ...]


def simulate(pool: Pool, outline: Outline, design: Design, *, candidates: int) -> Row:
    """Interview every candidate twice and compare the results."""
    mean = LEVELS[design.level].mean
    errors, first, second = [], [], []
    shown: Counter[str] = Counter()
    for number in range(candidates):
        theta = _ability(mean, Stream("candidate", design.level, number))
        truth = _truth(theta, mean)
        one, other = (
            _interview(pool, outline, design, theta, number, other=other) for other in (False, True)
        )
        errors.append(one.total - truth)
        first.append(one)
        second.append(other)
        shown.update(one.items)
    ones, others = [each.total for each in first], [each.total for each in second]
    within = [abs(e) <= s.error for e, s in zip(errors, first, strict=True)]
    return Row(
        minutes=design.minutes,
        level=str(design.level),
        how=design.name,
        candidates=candidates,
        num_items=round(_mean([len(each.items) for each in first]), 1),
        rmse=round(math.sqrt(_mean([each * each for each in errors])), 2),
        bias=round(_mean(errors), 2),
        se=round(_mean([each.error for each in first]), 2),
        coverage=round(_mean(within), 3),
        r_two_forms=round(_correlation(ones, others), 3),
        mean_difference=round(_mean(ones) - _mean(others), 2),
        verdicts=round(_mean([each.error <= ENOUGH_SE for each in first]), 3),
        exposure=round(max(shown.values()) / candidates, 2),
    )


def _interview(
    pool: Pool, outline: Outline, design: Design, theta: Vector, number: int, *, other: bool
) -> _Seen:
    seed = number + _OTHER_FORM * other if design.is_adaptive else 7 + other
    setting = Setting(seed=seed, level=design.level, minutes=design.minutes)
    whim = Stream("answers", design.level, design.minutes, design.name, number, other)
    past: list[Past] = []
    if design.is_adaptive:
        chooser = Chooser(setting=setting, drawn=draw(pool, outline.ranges, setting))
        minutes = 0.0
        while (offer := chooser.choose(past, minutes)) is not None:
            past.append(Past(offer=offer, score=_answer(offer.item, theta, whim)))
            minutes += offer.item.minutes
    else:
        for offer in _form(pool, outline, setting):
            past.append(Past(offer=offer, score=_answer(offer.item, theta, whim)))
    responses = [each for one in past if (each := one.response())]
    scale = place(estimate(responses, setting.mean), setting.mean)
    return _Seen(scale.total, scale.error, tuple(one.item.id for one in past))


_FORMS: dict[tuple[str, Setting], tuple[Offer, ...]] = {}


def _form(pool: Pool, outline: Outline, setting: Setting) -> tuple[Offer, ...]:
    key = (pool.hash, setting)
    if key not in _FORMS:
        _FORMS[key] = make_plan(pool, outline, setting).offers
    return _FORMS[key]


def _answer(item: Item, theta: Vector, whim: Stream) -> float:
    """Draw the share of key points that a candidate states."""
    mixed = sum(load * each for load, each in zip(item.loads, theta, strict=True))
    p = sigmoid(SLOPE * (mixed - item.b + _WHIM * whim.normal()))
    return sum(whim.uniform() < p for _ in range(item.num_points)) / item.num_points


def _ability(mean: float, stream: Stream) -> Vector:
    """Draw an ability with variance 1 and correlation 0.6 between dimensions."""
    shared = math.sqrt(_CORRELATION) * stream.normal()
    own = math.sqrt(1 - _CORRELATION)
    a, b, c, d = (mean + shared + own * stream.normal() for _ in range(4))
    return a, b, c, d


def _truth(theta: Vector, mean: float) -> float:
    return place(Ability(theta=theta, covariance=prior(mean).covariance), mean).total


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _correlation(one: Sequence[float], other: Sequence[float]) -> float:
    mean_one, mean_other = _mean(one), _mean(other)
    both = sum((a - mean_one) * (b - mean_other) for a, b in zip(one, other, strict=True))
    spread = math.sqrt(
        sum((a - mean_one) ** 2 for a in one) * sum((b - mean_other) ** 2 for b in other)
    )
    return both / spread if spread else 0.0
