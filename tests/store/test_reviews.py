"""The review log is only added to, and an undo leads back to the card before."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from torchstone.store import Store

pytestmark = pytest.mark.pure

DAY = timedelta(days=1)
ITEM = "problem:01"
MakeCard = Callable[..., str]
Clock = Callable[[], datetime]


@pytest.fixture
def record(store: Store, clock: Clock, make_card: MakeCard) -> Callable[..., bool]:
    """Review an item; its new card is due after some days."""

    def run(previous: str | None, *, days: int = 1, item: str = ITEM) -> bool:
        now = clock()
        return store.record_review(
            item,
            previous=previous,
            rating=3,
            evidence={"tries": 1},
            card=make_card(now + days * DAY),
            due=now + days * DAY,
            reviewed_at=now,
        )

    return run


def current(store: Store, item: str = ITEM) -> str:
    card = store.review_card(item)
    assert card is not None
    return card.card


def test_the_card_is_that_of_the_last_review(store: Store, record: Callable[..., bool]) -> None:
    assert store.review_card(ITEM) is None
    assert record(None)
    first = current(store)
    assert record(first, days=5)
    assert current(store) != first
    assert [entry.rating for entry in store.review_log(ITEM)] == [3, 3]
    assert store.review_log(ITEM)[0].evidence == {"tries": 1}


def test_a_review_of_an_old_card_is_refused(store: Store, record: Callable[..., bool]) -> None:
    record(None)
    first = current(store)
    assert not record(None)
    assert record(first, days=2)
    assert not record(first, days=3)
    assert len(store.review_log()) == 2


def test_the_same_card_written_differently_is_the_same(
    store: Store, record: Callable[..., bool]
) -> None:
    record(None)
    spaced = json.dumps(json.loads(current(store)), indent=4)
    assert record(spaced, days=9)


def test_undo_leads_back_step_by_step(store: Store, record: Callable[..., bool]) -> None:
    record(None)
    first = store.review_card(ITEM)
    record(current(store), days=5)
    assert store.undo_review(ITEM)
    assert store.review_card(ITEM) == first
    assert store.undo_review(ITEM)
    assert store.review_card(ITEM) is None
    assert not store.undo_review(ITEM)
    assert [entry.undone_at is None for entry in store.review_log(ITEM)] == [False, False]
    assert record(None), "an item can be reviewed anew after all was undone"


def test_an_undo_may_name_the_review_that_is_meant(
    store: Store, record: Callable[..., bool], clock: Clock
) -> None:
    record(None)
    first = store.review_card(ITEM)
    record(current(store), days=5)
    second = store.review_card(ITEM)
    assert first is not None
    assert second is not None
    assert not store.undo_review(ITEM, reviewed_at=first.reviewed_at)
    assert not store.undo_review(ITEM, reviewed_at=clock())
    assert store.undo_review(ITEM, reviewed_at=second.reviewed_at)
    assert not store.undo_review(ITEM, reviewed_at=second.reviewed_at)
    assert store.review_card(ITEM) == first


def test_the_last_undo_of_each_item_is_known(
    store: Store, record: Callable[..., bool], clock: Clock
) -> None:
    other = "problem:02"
    record(None)
    assert store.last_undo(ITEM) is None
    assert store.last_undos() == {}
    record(current(store), days=5)
    record(None, item=other)
    moments = []
    for _ in range(2):
        moments.append(clock())
        store.undo_review(ITEM)
        found = store.last_undo(ITEM)
        assert found is not None
        assert moments[-1] < found < clock()
        assert store.last_undos() == {ITEM: found}
    record(None)
    assert store.last_undo(ITEM) == found
    assert store.last_undo(other) is None


def test_the_last_reviews_are_those_of_the_cards(store: Store, record: Callable[..., bool]) -> None:
    record(None)
    record(current(store), days=5)
    record(None, item="problem:02")
    record(None, item="problem:03")
    store.undo_review(ITEM)
    store.undo_review("problem:03")
    found = store.last_reviews()
    cards = store.review_cards()
    assert list(found) == list(cards) == [ITEM, "problem:02"]
    for item, entry in found.items():
        card = cards[item]
        assert (entry.card, entry.due, entry.reviewed_at) == (card.card, card.due, card.reviewed_at)
        assert (entry.rating, entry.evidence, entry.undone_at) == (3, {"tries": 1}, None)


def test_the_log_stays_in_order_when_the_clock_is_set_back(
    store: Store, make_card: MakeCard, clock: Clock
) -> None:
    now = clock()
    cards = [make_card(now + days * DAY) for days in (1, 2, 3)]
    for previous, card in zip([None, *cards], cards, strict=False):
        assert store.record_review(
            ITEM, previous=previous, rating=2, evidence={}, card=card, due=now, reviewed_at=now
        )
        now -= DAY
    assert json.loads(current(store)) == json.loads(cards[-1])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rating": 0}, "rating is 0; expected 1 to 4"),
        ({"rating": 5}, "rating is 5; expected 1 to 4"),
        ({"card": "no json"}, "canonical_card"),
        ({"card": "{}"}, "canonical_card"),
        ({"card": "[]"}, "canonical_card"),
        ({"evidence": {"minutes": float("inf")}}, "evidence"),
        ({"due": datetime(2026, 1, 1)}, "time zone"),
        ({"reviewed_at": datetime(2026, 1, 1)}, "time zone"),
    ],
)
def test_an_impossible_review_is_refused(
    store: Store, make_card: MakeCard, clock: Clock, change: dict[str, object], message: str
) -> None:
    now = clock()
    review: dict[str, object] = {
        "previous": None,
        "rating": 3,
        "evidence": {},
        "card": make_card(now),
        "due": now,
        "reviewed_at": now,
    }
    with pytest.raises(ValueError, match=message):
        store.record_review(ITEM, **(review | change))  # type: ignore[arg-type]
    assert store.review_log() == []
