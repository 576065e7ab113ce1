from collections.abc import Callable

import pytest
from sqlalchemy import Engine, event

from torchstone.app.home import Home
from torchstone.app.problems.catalog import list_problems
from torchstone.app.problems.learning import open_hint, open_solutions
from torchstone.app.problems.problem_state import find_state, find_states, local_now
from torchstone.app.review.overview import look_over
from torchstone.app.review.reviews import list_reviews, undo_review

pytestmark = pytest.mark.pure


def test_all_places_at_once_are_each_place(
    home: Home, record: Callable[..., str], accepted_long_ago: Callable[..., str]
) -> None:
    accepted_long_ago("01")
    accepted_long_ago("02")
    undo_review(home, "02")
    record("03")
    record("04", "WA")
    open_hint(home, "05")
    open_solutions(home, "06", give_up=True)
    look_over(home)
    undo_review(home, "06")
    now = local_now()
    with home.open_store() as store:
        states = find_states(store, home.bank, now)
        touched = ["01", "02", "03", "04", "05", "06"]
        assert states == {each: find_state(store, home.problem(each), now) for each in touched}
    assert [each for each in touched if states[each].is_due] == ["01"]
    assert [each for each in touched if states[each].is_open] == ["01", "02", "04", "05", "06"]
    assert [each for each in touched if states[each].is_settled] == ["03"]
    assert all(state.is_tried for state in states.values())


def test_evidence_counts_from_the_day_of_the_date_on(
    home: Home, accepted_long_ago: Callable[..., str]
) -> None:
    accepted_long_ago()
    with home.open_store() as store:
        state = find_state(store, home.problem("01"), local_now())
    assert state.card is not None
    assert state.evidence_since is not None
    assert state.evidence_since > state.card.reviewed_at
    due = state.card.due.astimezone(state.now.tzinfo)
    assert state.evidence_since == due.replace(hour=0, minute=0, second=0, microsecond=0)


def test_lists_ask_the_store_no_more_often_for_more_problems(
    home: Home, record: Callable[..., str]
) -> None:
    def num_statements(act: Callable[[Home], object]) -> int:
        asked: list[str] = []

        def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
            asked.append(statement)

        event.listen(Engine, "before_cursor_execute", note)
        act(home)
        event.remove(Engine, "before_cursor_execute", note)
        return len(asked)

    acts = (list_problems, look_over, list_reviews)
    record("01")
    look_over(home)
    before = [num_statements(act) for act in acts]
    for problem in ("02", "03", "04", "05"):
        record(problem)
    look_over(home)
    assert [num_statements(act) for act in acts] == before
