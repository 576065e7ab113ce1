"""The map counts everything once, and always knows what to do next."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.study import Answering, Rating, Recall, Standing, Status, draw_map, review

pytestmark = pytest.mark.pure

NOW = datetime(2026, 3, 10, 9, 0, tzinfo=UTC)
DAY = timedelta(days=1)
TRIED = Standing(accepted=False, tried=True)


@dataclass(frozen=True)
class Problem:
    id: str
    part: int = 1
    stars: int = 1
    concepts: tuple[str, ...] = ()
    prerequisites: tuple[str, ...] = ()


def proven(days_ago: int = 0, rating: Rating = Rating.EASY) -> Standing:
    card = review(None, rating, NOW - days_ago * DAY).card
    return Standing(accepted=True, tried=True, card=card, proven_at=NOW - days_ago * DAY)


BANK = [
    Problem("01", stars=1, concepts=("softmax",)),
    Problem("02", stars=2, concepts=("softmax", "norm"), prerequisites=("01",)),
    Problem("03", stars=1, concepts=("norm",)),
    Problem("11", part=2, stars=3, concepts=("attention",), prerequisites=("02", "99")),
]


def next_id(standings: dict[str, Standing]) -> str | None:
    chosen = draw_map(BANK, standings, NOW).next
    return chosen.problem_id if chosen else None


def test_an_untouched_bank_begins_at_the_beginning() -> None:
    drawn = draw_map(BANK, {}, NOW)
    assert {one.status for one in drawn.problems} == {Status.UNTOUCHED}
    assert drawn.due == ()
    assert drawn.next is not None
    assert (drawn.next.problem_id, drawn.next.is_review) == ("01", False)


def test_what_was_begun_comes_before_what_was_not() -> None:
    assert next_id({"03": TRIED}) == "03"


def test_fewer_stars_come_before_what_was_begun() -> None:
    bank = [Problem("01", stars=2), Problem("02")]
    drawn = draw_map(bank, {"01": TRIED}, NOW)
    assert drawn.next is not None
    assert drawn.next.problem_id == "02"


def test_prerequisites_are_proven_first() -> None:
    assert next_id({"01": TRIED, "03": proven()}) == "01"
    assert next_id({"01": proven(), "03": proven()}) == "02"
    drawn = draw_map(BANK, {"01": proven(), "03": proven()}, NOW)
    assert drawn.next is not None
    assert "01" in drawn.next.reason["zh"]


def test_what_was_begun_is_not_called_unlocked() -> None:
    standings = {"01": proven(), "03": proven()}
    fresh = draw_map(BANK, standings, NOW).next
    begun = draw_map(BANK, standings | {"02": TRIED}, NOW).next
    assert fresh is not None
    assert begun is not None
    assert fresh.problem_id == begun.problem_id == "02"
    assert fresh.reason != begun.reason


def test_a_prerequisite_that_is_not_in_the_bank_is_not_asked_for() -> None:
    assert next_id({name: proven() for name in ("01", "02", "03")}) == "11"


def test_the_weakest_review_comes_first() -> None:
    standings = {"01": proven(9), "02": proven(30, Rating.HARD), "03": proven()}
    drawn = draw_map(BANK, standings, NOW)
    assert [item.problem_id for item in drawn.due] == ["02", "01"]
    assert drawn.next is not None
    assert (drawn.next.problem_id, drawn.next.is_review) == ("02", True)
    assert drawn.due[0].strength < drawn.due[1].strength
    assert "2026-03-09" in drawn.due[1].reason["en"]


def test_what_is_due_later_today_is_due_today_where_the_learner_lives() -> None:
    shanghai = timezone(timedelta(hours=8))
    # Due at 21:00 in Shanghai; one hour after midnight there it is already today's.
    standings = {
        "01": Standing(
            accepted=True,
            tried=True,
            card=review(None, Rating.EASY, NOW.replace(hour=13) - 8 * DAY).card,
        )
    }
    early = NOW.replace(hour=1, tzinfo=shanghai)
    assert [item.problem_id for item in draw_map(BANK, standings, early).due] == ["01"]
    assert draw_map(BANK, standings, early - DAY).due == ()


def test_all_proven_and_nothing_due_leaves_nothing_to_do() -> None:
    assert next_id({problem.id: proven() for problem in BANK}) is None


def test_a_seen_solution_is_due_though_nothing_is_proven() -> None:
    card = review(None, Rating.AGAIN, NOW - 2 * DAY).card
    drawn = draw_map(BANK, {"03": Standing(accepted=False, tried=True, card=card)}, NOW)
    assert [item.problem_id for item in drawn.due] == ["03"]
    assert drawn.problems[2].status is Status.TRIED


def test_cells_and_concepts() -> None:
    drawn = draw_map(BANK, {"01": proven(), "02": TRIED}, NOW)
    cells = {
        (cell.part, cell.stars): (cell.num_proven, cell.num_tried, cell.num_untouched)
        for cell in drawn.cells
    }
    assert cells == {(1, 1): (1, 0, 1), (1, 2): (0, 1, 0), (2, 3): (0, 0, 1)}
    assert [cell.strength for cell in drawn.cells] == [1.0, None, None]
    concepts = {one.concept: (one.status, one.strength) for one in drawn.concepts}
    assert concepts == {
        "softmax": (Status.PROVEN, 1.0),
        "norm": (Status.TRIED, None),
        "attention": (Status.UNTOUCHED, None),
    }
    assert drawn.concepts[0].problem_ids == ("01", "02")


def test_a_concept_keeps_what_is_known_apart_from_what_is_written() -> None:
    answered = {
        "norm": Answering(recall=Recall.KNOWN, strength=0.97),
        "2.1.2.1.1": Answering(recall=Recall.DUE, strength=0.8),
    }
    drawn = draw_map(BANK, {}, NOW, answered=answered)
    found = {one.concept: (one.status, one.known, one.known_strength) for one in drawn.concepts}
    assert found["norm"] == (Status.UNTOUCHED, Recall.KNOWN, 0.97)
    assert found["softmax"] == (Status.UNTOUCHED, Recall.UNSEEN, None)
    # No problem practises this one.
    assert found["2.1.2.1.1"] == (Status.UNTOUCHED, Recall.DUE, 0.8)


def test_a_moment_without_a_time_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        draw_map(BANK, {}, datetime(2026, 3, 1))


@st.composite
def banks(draw: st.DrawFn) -> list[Problem]:
    bank: list[Problem] = []
    for number in range(draw(st.integers(0, 8))):
        earlier = st.sampled_from([one.id for one in bank]) if bank else st.nothing()
        bank.append(
            Problem(
                id=f"{number:02}",
                part=draw(st.integers(1, 3)),
                stars=draw(st.integers(1, 5)),
                concepts=tuple(draw(st.sets(st.sampled_from("abc")))),
                prerequisites=tuple(draw(st.sets(earlier))),
            )
        )
    return bank


STANDINGS = st.builds(
    lambda accepted, tried, days_ago: Standing(
        accepted=accepted,
        tried=tried or accepted,
        card=proven(days_ago).card if accepted else None,
    ),
    st.booleans(),
    st.booleans(),
    st.integers(0, 30),
)


@given(banks(), st.data())
def test_the_map_is_complete_and_consistent(bank: list[Problem], data: st.DataObject) -> None:
    standings = {one.id: data.draw(STANDINGS) for one in bank if data.draw(st.booleans())}
    drawn = draw_map(bank, standings, NOW)
    counted = sum(cell.num_proven + cell.num_tried + cell.num_untouched for cell in drawn.cells)
    assert counted == len(drawn.problems) == len(bank)
    status = {one.problem_id: one.status for one in drawn.problems}
    is_all_proven = all(one is Status.PROVEN for one in status.values())
    assert (drawn.next is None) == (is_all_proven and not drawn.due)
    if drawn.next and not drawn.next.is_review:
        chosen = next(one for one in bank if one.id == drawn.next.problem_id)
        assert status[chosen.id] is not Status.PROVEN
        # What is needed for a proven problem counts as known, at any depth.
        needed_for = {one.id: one.prerequisites for one in bank}
        known = {one for one, its in status.items() if its is Status.PROVEN}
        for one in reversed(bank):
            known.update(needed_for[one.id] if one.id in known else ())
        assert known.issuperset(chosen.prerequisites)


def test_the_next_problem_follows_the_one_that_was_proven_last() -> None:
    standings = {"01": proven(2), "03": proven(1)}
    assert next_id(standings) == "02"
    bank = [*BANK, Problem("04", stars=5, prerequisites=("03",))]
    drawn = draw_map(bank, standings, NOW)
    assert drawn.next is not None
    assert drawn.next.problem_id == "04"
    drawn = draw_map(bank, standings, NOW, after="01")
    assert drawn.next is not None
    assert drawn.next.problem_id == "02"
