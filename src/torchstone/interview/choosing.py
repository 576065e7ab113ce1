"""Adaptive choice of the next item: five strategies as rules over the previous answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from torchstone.interview.ability import (
    SLOPE,
    WEIGHTS,
    Ability,
    Response,
    estimate,
    prior,
    sigmoid,
)
from torchstone.interview.draw import Draw, Setting
from torchstone.interview.item import Item, Kind
from torchstone.interview.stream import Stream

DEEPER, LEAVE = 0.75, 0.25
MOST_DEEP = 3
# The item is drawn from this number of most informative items; in a small section these are nearly
# all items, so they must also reach this share of the best item's information. Simulated: at 0.5
# one senior in five gets no verdict; higher values increase item exposure.
NUM_BEST = 12
_NEAR_BEST = 0.83
# A prediction takes two minutes and has the most information per minute. Simulated for an hour:
# with at most a quarter of predictions six experts in ten get a verdict, with a half nearly all.
_MOST_PREDICTIONS = 0.5
_OPEN_WEIGHT = 0.5
_FOLLOW_UP_WEIGHT = 0.5


class Rule(StrEnum):
    """Strategies drawn by the seed."""

    PROGRESSIVE = "progressive"
    PRACTICE = "practice"
    CODE = "code"
    OPEN = "open"
    ADAPT = "adapt"


class Because(StrEnum):
    """Reason why the rule offers the item."""

    STRONG = "strong"
    WEAK = "weak"
    PRACTICE = "practice"
    PROGRAM = "program"
    DISCUSSION = "discussion"
    INFORMATIVE = "informative"
    FORM = "form"
    PERSON = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """Offered item, and the rule that offers it.

    Args:
        depth: Depth of the item within its topic, from 1.
        is_follow_up: Whether it follows a weak answer, and has half weight.
    """

    item: Item
    rule: Rule
    because: Because
    depth: int = 1
    is_follow_up: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """Completed item: its offer, and its score, None if skipped.

    Args:
        by_person: Whether the score was given by a person.
    """

    offer: Offer
    score: float | None
    by_person: bool = False

    @property
    def item(self) -> Item:
        """Return the item."""
        return self.offer.item

    @property
    def weight(self) -> float:
        """Return the weight in the estimate.

        It is halved for a follow-up, and for a discussion marked only automatically.
        """
        weight = _FOLLOW_UP_WEIGHT if self.offer.is_follow_up else 1.0
        if self.item.kind is Kind.OPEN and not self.by_person:
            weight *= _OPEN_WEIGHT
        return weight

    def response(self) -> Response | None:
        """Return the input of the estimate; None if the item was skipped."""
        if self.score is None:
            return None
        return self.item.response(self.score, weight=self.weight)


@dataclass(slots=True, kw_only=True)
class Chooser:
    """Selection of the next item of one interview.

    Args:
        setting: Arguments of the interview.
        drawn: Random choices of the seed.
    """

    setting: Setting
    drawn: Draw
    _last: tuple[int, Ability] | None = field(default=None)

    def choose(self, past: Sequence[Past], elapsed_min: float) -> Offer | None:
        """Return the next offer; None if no item fits into the remaining minutes."""
        first = past[-1].item.section if past else 1
        for section, end in enumerate(self.drawn.ends, 1):
            if section < first:
                continue
            offer = self._in_section(section, end - elapsed_min, past)
            if offer is not None:
                return offer
        return None

    def ability(self, past: Sequence[Past]) -> Ability:
        """Estimate the ability, starting from the last estimate."""
        responses = [each for past_one in past if (each := past_one.response())]
        if not responses:
            return prior(self.setting.mean)
        start = self._last[1].theta if self._last else None
        found = estimate(responses, self.setting.mean, start=start)
        self._last = (len(responses), found)
        return found

    def _in_section(self, section: int, left: float, past: Sequence[Past]) -> Offer | None:
        asked = {each.item.id for each in past}
        program = self.drawn.programs.get(section)
        if program is not None and (program.id in asked or program.minutes > left + 0.5):
            program = None
        room = left - (program.minutes if program else 0.0)
        fresh = [
            item
            for item in self.drawn.in_play[section]
            if item.id not in asked and item.minutes <= room
        ]
        ladder = self._ladder(section, fresh, past)
        if ladder is not None:
            return ladder
        is_begun = any(each.item.section == section for each in past)
        topics = {each.item.topic for each in past}
        untouched = [item for item in fresh if item.topic not in topics]
        if program is not None and (is_begun or not untouched):
            return Offer(item=program, rule=Rule.CODE, because=Because.PROGRAM)
        return self._informative(self._by_quota(untouched, past), past)

    def _ladder(self, section: int, fresh: Sequence[Item], past: Sequence[Past]) -> Offer | None:
        """Stay in the last topic: deeper after a good answer, once easier after a failed one."""
        last = past[-1] if past else None
        if last is None or last.score is None or last.item.section != section:
            return None
        near = [item for item in fresh if item.topic == last.item.topic]
        if last.score >= DEEPER and not last.offer.is_follow_up and last.offer.depth < MOST_DEEP:
            deeper = [i for i in near if i.b >= last.item.b and i.rung > last.item.rung]
            if deeper:
                lowest = min(i.rung for i in deeper)
                item = self._ranked([i for i in deeper if i.rung == lowest], past)[0][0]
                is_predict = item.kind is Kind.PREDICT
                return Offer(
                    item=item,
                    rule=Rule.PRACTICE if is_predict else Rule.PROGRESSIVE,
                    because=Because.STRONG,
                    depth=last.offer.depth + 1,
                )
        if last.score <= LEAVE and last.offer.depth == 1 and last.item.kind is Kind.CONCEPT:
            easier = [i for i in near if i.kind is Kind.CONCEPT and i.b < last.item.b]
            if easier:
                item = max(easier, key=lambda i: (i.b, i.id))
                return Offer(
                    item=item,
                    rule=Rule.PROGRESSIVE,
                    because=Because.WEAK,
                    depth=2,
                    is_follow_up=True,
                )
        return None

    def _by_quota(self, items: Sequence[Item], past: Sequence[Past]) -> list[Item]:
        """Keep predictions to their share, and schedule the first one early."""
        num = sum(each.item.kind is Kind.PREDICT for each in past)
        if num == 0 and len(past) >= 3:
            predictions = [item for item in items if item.kind is Kind.PREDICT]
            if predictions:
                return predictions
        if num + 1 > _MOST_PREDICTIONS * (len(past) + 1):
            return [item for item in items if item.kind is not Kind.PREDICT]
        return list(items)

    def _informative(self, items: Sequence[Item], past: Sequence[Past]) -> Offer | None:
        """Choose among the items that reduce the variance of the total most per minute.

        Source:
            Kingsbury and Zara, "Procedures for selecting items for computerized adaptive tests",
            Applied Measurement in Education 2 (1989): one of the best at random.
        """
        if not items:
            return None
        ranked = self._ranked(items, past)
        least = _NEAR_BEST * ranked[0][1]
        best = [item for item, gain in ranked[:NUM_BEST] if gain >= least]
        item = Stream(self.setting.seed, "choice", len(past)).pick(best)
        rule, because = {
            Kind.OPEN: (Rule.OPEN, Because.DISCUSSION),
            Kind.PREDICT: (Rule.PRACTICE, Because.PRACTICE),
        }.get(item.kind, (Rule.ADAPT, Because.INFORMATIVE))
        return Offer(item=item, rule=rule, because=because)

    def _ranked(self, items: Sequence[Item], past: Sequence[Past]) -> list[tuple[Item, float]]:
        """Return the items with their information per minute, in descending order."""
        ability = self.ability(past)
        pulls = [[WEIGHTS[i] * ability.covariance[i][j] for j in range(4)] for i in range(4)]
        gains = [(item, round(_gain(item, ability, pulls), 9)) for item in items]
        return sorted(gains, key=lambda pair: (-pair[1], pair[0].id))


def _gain(item: Item, ability: Ability, pulls: Sequence[Sequence[float]]) -> float:
    loads = item.loads
    spread = sum(loads[i] * loads[j] * pulls[i][j] for i in range(4) if loads[i] for j in range(4))
    mixed = sum(load * theta for load, theta in zip(loads, ability.theta, strict=True))
    p = sigmoid(SLOPE * (mixed - item.b))
    weight = _OPEN_WEIGHT if item.kind is Kind.OPEN else 1.0
    return spread * p * (1 - p) * item.num_points * weight / item.minutes
