"""The next item: of the most informative ones the seed takes one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from torchstone.interview.choosing import Because, Chooser, Offer, Past, Rule
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


# At the mean of an expert a question of b 0.8 tells 0.68 of what one of 1.7 tells.
@pytest.mark.parametrize("easy", [-1.2, 0.8])
def test_an_expert_is_asked_the_hard_questions_where_a_section_has_few(easy: float) -> None:
    items = tuple(question(number, 1.7 if number >= 13 else easy) for number in range(16))
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


def test_after_a_good_answer_the_next_rung_is_as_hard_as_the_candidate_is_able() -> None:
    asked = question(0, -0.2)
    deeper = tuple(
        replace(
            question(number, b),
            kind=Kind.PREDICT,
            topic=asked.topic,
            rung=3,
        )
        for number, b in enumerate((-0.2, 0.8, 1.7), 1)
    )
    drawn = Draw(in_play={1: (asked, *deeper)}, programs={}, minutes=(60.0,))
    setting = Setting(seed=0, level=Level.EXPERT, minutes=60)
    first = Offer(item=asked, rule=Rule.ADAPT, because=Because.INFORMATIVE)
    offer = Chooser(setting=setting, drawn=drawn).choose([Past(offer=first, score=1.0)], 3.0)
    assert offer is not None
    assert offer.because is Because.STRONG
    assert offer.item.b == 1.7
