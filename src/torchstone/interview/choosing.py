"""Choose the next item: the five strategies as rules over what was answered so far."""

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
# Of so many most informative items the seed takes one; in a small section that is nearly all, so
# they have at least this share of what the best one tells. Simulated: at 0.5 one senior in five
# gets no verdict; the higher it is, the more often the same items are shown.
NUM_BEST = 12
_NEAR_BEST = 0.83
# A prediction takes two minutes and tells more in each than anything else. Simulated, an hour: with
# at most a quarter of predictions six experts in ten get a verdict, with a half nearly all.
_MOST_PREDICTIONS = 0.5
_OPEN_WEIGHT = 0.5
_FOLLOW_UP_WEIGHT = 0.5


class Rule(StrEnum):
    """A strategy of the seed."""

    PROGRESSIVE = "progressive"
    PRACTICE = "practice"
    CODE = "code"
    OPEN = "open"
    ADAPT = "adapt"


class Because(StrEnum):
    """What made the rule offer the item."""

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
    """An item that is offered, and the rule that offers it.

    Args:
        depth: How many items deep a topic is now, from 1.
        is_follow_up: Whether it follows a weak answer, and counts half.
    """

    item: Item
    rule: Rule
    because: Because
    depth: int = 1
    is_follow_up: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """An item that is over: its offer, and its score, None if it was skipped.

    Args:
        by_person: Whether a person's score counts.
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
        """Return how much it counts.

        Half for a follow-up, and half for a discussion that only the machine has marked.
        """
        weight = _FOLLOW_UP_WEIGHT if self.offer.is_follow_up else 1.0
        if self.item.kind is Kind.OPEN and not self.by_person:
            weight *= _OPEN_WEIGHT
        return weight

    def response(self) -> Response | None:
        """Return it as evidence; None if it was skipped."""
        if self.score is None:
            return None
        return self.item.response(self.score, weight=self.weight)


@dataclass(slots=True, kw_only=True)
class Chooser:
    """Chooses the next item of one interview.

    Args:
        setting: The arguments of the interview.
        drawn: What the seed has drawn.
    """

    setting: Setting
    drawn: Draw
    _last: tuple[int, Ability] | None = field(default=None)

    def choose(self, past: Sequence[Past], elapsed_min: float) -> Offer | None:
        """Return the next offer; None if no item fits into the minutes that are left."""
        first = past[-1].item.section if past else 1
        for section, end in enumerate(self.drawn.ends, 1):
            if section < first:
                continue
            offer = self._in_section(section, end - elapsed_min, past)
            if offer is not None:
                return offer
        return None

    def ability(self, past: Sequence[Past]) -> Ability:
        """Estimate the ability; the last estimate is where the search begins."""
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
        """Stay in the topic of the last answer: deeper after a good one, once easier after none."""
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
        """Keep predictions to their share, and ask for the first in good time."""
        num = sum(each.item.kind is Kind.PREDICT for each in past)
        if num == 0 and len(past) >= 3:
            predictions = [item for item in items if item.kind is Kind.PREDICT]
            if predictions:
                return predictions
        if num + 1 > _MOST_PREDICTIONS * (len(past) + 1):
            return [item for item in items if item.kind is not Kind.PREDICT]
        return list(items)

    def _informative(self, items: Sequence[Item], past: Sequence[Past]) -> Offer | None:
        """Take one of the items that shrink the variance of the total most for each minute.

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
        """Return the items with what each tells in a minute, the most informative first."""
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
