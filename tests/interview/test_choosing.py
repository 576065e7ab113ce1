"""The next item: of the most informative ones the seed takes one."""

from __future__ import annotations

import pytest

from torchstone.interview.choosing import Chooser
from torchstone.interview.draw import Draw, Setting
from torchstone.interview.item import Item, Kind
from torchstone.interview.levels import Level

pytestmark = pytest.mark.pure


def question(number: int, b: float) -> Item:
    return Item(
        id=f"question:{number}",
        kind=Kind.CONCEPT,
        section=1,
        topic=f"topic-{number}",
        points=(),
        loads=(0.25, 0.25, 0.25, 0.25),
        b=b,
        minutes=3.0,
        rung=1,
        num_points=4,
        source=str(number),
    )


def test_an_expert_is_asked_no_easy_question_where_a_section_has_few_hard_ones() -> None:
    items = tuple(question(number, 1.7 if number >= 13 else -1.2) for number in range(16))
    drawn = Draw(in_play={1: items}, programs={}, minutes=(60.0,))
    offered = set()
    for seed in range(20):
        setting = Setting(seed=seed, level=Level.EXPERT, minutes=60)
        offer = Chooser(setting=setting, drawn=drawn).choose([], 0.0)
        assert offer is not None
        assert offer.item.b == 1.7
        offered.add(offer.item.id)
    # All of the hard ones have their turn.
    assert len(offered) == 3
