import json
from collections.abc import Callable
from datetime import timedelta

import msgspec
import pytest

from torchstone.app.home import Home
from torchstone.app.problems.learning import open_hint, open_solutions, read_editorial, read_ladder
from torchstone.app.problems.problem_state import local_now
from torchstone.app.review.overview import look_over
from torchstone.core.errors import BadInput
from torchstone.core.i18n import both
from torchstone.store import open_store
from torchstone.study import Rating

pytestmark = pytest.mark.pure


def test_hints_open_in_order_and_are_recorded_once(home: Home) -> None:
    assert [open_hint(home, "01").number for _ in range(5)] == [1, 2, 3, 4, 4]
    assert open_hint(home, "01", 2).number == 2
    with home.open_store() as store:
        assert [hint.rung for hint in store.progress("01").hints] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("rung", "code"), [(3, "rung_closed"), (0, "rung_unknown"), (9, "rung_unknown")]
)
def test_a_rung_out_of_order_is_refused(home: Home, rung: int, code: str) -> None:
    with pytest.raises(BadInput) as caught:
        open_hint(home, "01", rung)
    assert caught.value.code == f"app.{code}"


def test_editorial_and_solutions_are_closed_until_the_problem_is_settled(
    home: Home, record: Callable[..., str]
) -> None:
    record(verdict="WA")
    for read in (read_editorial, open_solutions):
        with pytest.raises(BadInput, match="open when it is accepted"):
            read(home, "01")
    record()
    look_over(home)
    assert read_editorial(home, "01").words["zh"] == home.problem("01").editorial.zh
    found = open_solutions(home, "01")
    assert not found.gave_up
    assert found.solutions[0].name == "solution"
    with home.open_store() as store:
        assert store.progress("01").solution_seen_at is None


def test_giving_up_is_recorded_once_and_comes_back(home: Home) -> None:
    found = open_solutions(home, "01", give_up=True)
    assert found.gave_up
    assert found.review is not None
    assert found.review.rating == Rating.AGAIN
    assert not open_solutions(home, "01", give_up=True).gave_up
    assert read_editorial(home, "01")
    with home.open_store() as store:
        assert [entry.rating for entry in store.review_log()] == [Rating.AGAIN]


def test_hints_after_the_acceptance_are_free(home: Home, record: Callable[..., str]) -> None:
    record()
    look_over(home)
    shown = open_hint(home, "01", 4)
    assert not shown.counts
    with home.open_store() as store:
        assert store.progress("01").hints == ()


def test_a_ladder_shows_what_is_open_and_opens_nothing(home: Home) -> None:
    for num_open in range(5):
        ladder = read_ladder(home, "01")
        assert [rung.words is not None for rung in ladder.rungs] == [
            number < num_open for number in range(4)
        ]
        assert [rung.opened_at is not None for rung in ladder.rungs] == [
            number < num_open for number in range(4)
        ]
        assert ladder.next_rung == (num_open + 1 if num_open < 4 else None)
        assert (ladder.price is None) == (num_open == 4)
        assert not ladder.is_settled
        open_hint(home, "01")
    assert [rung.rung for rung in ladder.rungs] == ["nudge", "concept", "shape", "near"]
    assert ladder.rungs[0].words == {
        "en": home.problem("01").hints[0].en,
        "zh": home.problem("01").hints[0].zh,
    }
    assert json.dumps(msgspec.to_builtins(ladder))


@pytest.mark.parametrize(
    ("verdicts", "prices"),
    [
        ([], ["good", "nothing", "hard", "nothing"]),
        (["WA"], ["nothing", "nothing", "hard", "nothing"]),
        (["WA", "WA"], ["nothing", "nothing", "nothing", "nothing"]),
    ],
)
def test_the_price_of_a_rung_is_the_rating_that_it_costs(
    home: Home, record: Callable[..., str], verdicts: list[str], prices: list[str]
) -> None:
    for verdict in verdicts:
        record(verdict=verdict)
    for rung, price in enumerate(prices, start=1):
        ladder = read_ladder(home, "01")
        assert ladder.price == both(f"app.price.{price}", rung=rung)
        assert ladder.is_dear == (price == "hard")
        open_hint(home, "01")


def test_a_rung_costs_nothing_once_the_planned_minutes_are_over(home: Home) -> None:
    for problem, started_at, price in (
        ("02", local_now() - timedelta(days=1), "nothing"),
        ("01", local_now() - timedelta(minutes=1), "good"),
    ):
        with open_store(clock=lambda moment=started_at: moment) as store:
            store.start_problem(problem)
        assert read_ladder(home, problem).price == both(f"app.price.{price}", rung=1)


def test_a_settled_problem_has_a_free_ladder(home: Home, record: Callable[..., str]) -> None:
    open_hint(home, "01")
    record()
    look_over(home)
    ladder = read_ladder(home, "01")
    assert (ladder.is_settled, ladder.next_rung, ladder.price) == (True, None, None)
    assert all(rung.words for rung in ladder.rungs)
    assert [rung.opened_at is not None for rung in ladder.rungs] == [True, False, False, False]


def test_each_round_starts_with_closed_hints(
    home: Home, record: Callable[..., str], accepted_long_ago: Callable[..., str]
) -> None:
    accepted_long_ago(num_hints=4)
    ladder = read_ladder(home, "01")
    assert (ladder.is_settled, ladder.next_rung) == (False, 1)
    assert all(rung.words is None and rung.opened_at is None for rung in ladder.rungs)
    assert [open_hint(home, "01").number for _ in range(3)] == [1, 2, 3]
    record()
    look_over(home)
    with home.open_store() as store:
        assert [entry.rating for entry in store.review_log()] == [Rating.HARD, Rating.HARD]
