"""Work on a problem counts since its last review."""

from datetime import UTC, datetime, timedelta

import pytest

from torchstone.app.home import Home
from torchstone.app.problems.learning import open_solutions
from torchstone.app.problems.working import Span, count_work, note_work
from torchstone.core.errors import NotFound

pytestmark = pytest.mark.pure


def test_work_counts_until_the_problem_is_reviewed(home: Home) -> None:
    now = datetime.now(UTC)
    spans = [Span(seconds=60, until=now - timedelta(minutes=at)) for at in range(3)]
    assert count_work(home, "01") == 0
    assert note_work(home, "01", spans) == 180
    assert note_work(home, "01", spans) == 180
    assert (count_work(home, "01"), count_work(home, "02")) == (180, 0)
    open_solutions(home, "01", give_up=True)
    assert count_work(home, "01") == 0


def test_an_unknown_problem_has_no_work(home: Home) -> None:
    with pytest.raises(NotFound):
        note_work(home, "99", [])
