from collections.abc import Callable

import pytest

from torchstone.app.home import Home
from torchstone.app.learning import next_rung, open_hint, open_solutions, read_editorial
from torchstone.app.overview import look_over
from torchstone.core.errors import BadInput
from torchstone.study import Rating

pytestmark = pytest.mark.pure


def test_hints_open_in_order_and_are_recorded_once(home: Home) -> None:
    assert [open_hint(home, "01").number for _ in range(5)] == [1, 2, 3, 4, 4]
    assert open_hint(home, "01", 2).number == 2
    assert next_rung(home, "01") == 4
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
    assert read_editorial(home, "01")["zh"] == home.problem("01").editorial.zh
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
