import pytest

from torchstone.app.home import Home
from torchstone.app.problems.catalog import list_problems
from torchstone.app.problems.marks import mark_problem
from torchstone.core.errors import NotFound

pytestmark = pytest.mark.pure


def is_marked(home: Home, name: str) -> bool:
    return name in {row.id for row in list_problems(home, only_marked=True).problems}


def test_a_mark_is_set_and_removed_by_number_or_name(home: Home) -> None:
    assert mark_problem(home, "softmax").marked
    assert is_marked(home, "01")
    assert [row.id for row in list_problems(home, only_marked=True).problems] == ["01"]
    assert list_problems(home, part=5, only_marked=True).problems == ()
    assert not mark_problem(home, "01").marked
    assert not is_marked(home, "01")
    assert list_problems(home, only_marked=True).problems == ()


def test_a_mark_that_is_there_stays(home: Home) -> None:
    assert mark_problem(home, "42op", marked=True) == mark_problem(home, "42op", marked=True)
    assert is_marked(home, "42op")
    assert {row.status for row in list_problems(home).problems} == {"untouched"}


def test_what_is_no_problem_is_not_marked(home: Home) -> None:
    with pytest.raises(NotFound):
        mark_problem(home, "99")
