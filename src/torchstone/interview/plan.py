"""``Plan``: the items of an interview in order, determined by its setting."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import msgspec

from torchstone.interview.ability import SLOPE, sigmoid
from torchstone.interview.choosing import Chooser, Offer, Past
from torchstone.interview.draw import MINUTES_PER_PROGRAM, Draw, Setting, draw
from torchstone.interview.item import Kind, Pool
from torchstone.interview.outline import Outline


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """Wanted and planned number of items of a kind."""

    wanted: int
    planned: int


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Plan: the items if every answer has its expected score.

    A guided interview follows the plan as a form. An adaptive one starts with it, and deviates
    according to the answers.
    """

    setting: Setting
    bank_hash: str
    drawn: Draw
    offers: tuple[Offer, ...]

    @property
    def quotas(self) -> dict[str, Quota]:
        """Return the quotas of programs, predictions and discussions."""
        kinds = [offer.item.kind for offer in self.offers]
        wanted = {
            "code": self.setting.minutes // MINUTES_PER_PROGRAM,
            "predict": 1,
            "open": 1,
        }
        return {
            name: Quota(wanted=number, planned=kinds.count(Kind(name)))
            for name, number in wanted.items()
        }

    @property
    def hash(self) -> str:
        """Return the hash of the plan's other fields."""
        text = msgspec.json.encode(self._content(), order="deterministic")
        return hashlib.sha256(text).hexdigest()

    def plain(self) -> dict[str, Any]:
        """Return the plan as JSON."""
        return {**self._content(), "plan_hash": self.hash}

    def _content(self) -> dict[str, Any]:
        num = [0] * len(self.drawn.minutes)
        for offer in self.offers:
            num[offer.item.section - 1] += 1
        return {
            "seed": self.setting.seed,
            "level": str(self.setting.level),
            "minutes": self.setting.minutes,
            "mode": str(self.setting.mode),
            "format": self.setting.format,
            "bank_hash": self.bank_hash,
            "sections": [
                {"id": number, "minutes": minutes, "num_items": num[number - 1]}
                for number, minutes in enumerate(self.drawn.minutes, 1)
            ],
            "quotas": {
                name: {"wanted": quota.wanted, "planned": quota.planned}
                for name, quota in self.quotas.items()
            },
            "items": [
                {
                    "id": offer.item.id,
                    "kind": str(offer.item.kind),
                    "section": offer.item.section,
                    "minutes": offer.item.minutes,
                    "rung": offer.item.rung,
                    "b": offer.item.b,
                }
                for offer in self.offers
            ],
        }


def make_plan(pool: Pool, outline: Outline, setting: Setting) -> Plan:
    """Create a plan; equal arguments give equal plans."""
    drawn = draw(pool, outline.ranges, setting)
    chooser = Chooser(setting=setting, drawn=drawn)
    past: list[Past] = []
    minutes = 0.0
    while (offer := chooser.choose(past, minutes)) is not None:
        # Expected score at the level's mean, clamped to the bounds of the ladder.
        score = sigmoid(SLOPE * (setting.mean - offer.item.b))
        past.append(Past(offer=offer, score=min(max(score, 0.3), 0.7)))
        minutes += offer.item.minutes
    return Plan(
        setting=setting,
        bank_hash=pool.hash,
        drawn=drawn,
        offers=tuple(each.offer for each in past),
    )
