"""A card has one written form."""

import json

import pytest

from torchstone.store.card import canonical_card

pytestmark = pytest.mark.pure

CARD = {
    "card_id": 0,
    "state": 2,
    "step": None,
    "stability": 8.2956,
    "difficulty": 1.0,
    "due": "2026-03-09T09:00:00.000001+00:00",
    "last_review": "2026-03-01T09:00:00+00:00",
}


def test_order_and_spaces_do_not_matter() -> None:
    backwards = dict(reversed(CARD.items()))
    assert canonical_card(json.dumps(CARD)) == canonical_card(json.dumps(backwards, indent=3))


def test_no_value_changes() -> None:
    assert json.loads(canonical_card(json.dumps(CARD))) == CARD
    once = canonical_card(json.dumps(CARD))
    assert canonical_card(once) == once


@pytest.mark.parametrize("state", [1, 2, 3])
def test_every_state_of_fsrs_is_a_card(state: int) -> None:
    card = CARD | {"state": state}
    assert json.loads(canonical_card(json.dumps(card))) == card


@pytest.mark.parametrize(
    "change",
    [
        {"state": 0},
        {"state": 4},
        {"step": -1},
        {"stability": 0},
        {"stability": "1"},
        {"difficulty": 0.5},
        {"difficulty": 11},
        {"card_id": -1},
        {"due": None},
        {"due": "2026-03-09"},
        {"last_review": "soon"},
        {"surprise": 1},
    ],
)
def test_an_impossible_card_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="canonical_card"):
        canonical_card(json.dumps(CARD | change))
