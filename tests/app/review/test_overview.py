import json
from collections.abc import Callable

import msgspec
import pytest

from tests.app.questions.conftest import answered_long_ago
from torchstone.app.home import Home
from torchstone.app.review.overview import look_over
from torchstone.study import Rating

pytestmark = pytest.mark.pure


def test_the_overview_reviews_acceptances_that_nobody_saw(
    home: Home, record: Callable[..., str]
) -> None:
    record("01")
    found = look_over(home)
    assert (found.num_proven, found.num_tried) == (1, 0)
    assert found.next is not None
    assert found.next.problem_id != "01"
    with home.open_store() as store:
        assert len(store.review_log()) == 1


def test_the_overview_names_the_next_step_and_its_minutes(
    home: Home, accepted_long_ago: Callable[..., str]
) -> None:
    following = look_over(home).next
    assert following is not None
    problem = home.problem(following.problem_id)
    assert following.minutes == problem.spec.minutes.practice
    assert following.title["zh"] == problem.title.zh
    accepted_long_ago("02")
    due = look_over(home)
    assert due.next is not None
    assert (due.next.problem_id, due.next.is_review) == ("02", True)
    assert due.forecast[0].count == 1


def test_the_next_step_follows_what_was_proven_last(home: Home, record: Callable[..., str]) -> None:
    for problem, following in (("44", "45"), ("01", "02"), ("50", "42")):
        record(problem)
        found = look_over(home).next
        assert found is not None
        assert found.problem_id == following
        assert all(problem in words for words in found.reason.values())


def test_every_problem_has_its_chapters_and_its_status(
    home: Home, record: Callable[..., str]
) -> None:
    record("01")
    problems = look_over(home).problems
    assert [problem.id for problem in problems] == [problem.id for problem in home.bank]
    first = problems[0]
    # Its concepts are 2.2.1.2.1, 2.2.1.2.2, 2.2.1.1.1, 2.1.1.3.3, 4.4.3.1.4 and 3.2.1.1.1.
    assert (first.part, first.stars, first.chapters) == (1, 1, (2, 3, 4))
    assert (first.status, first.strength) == ("proven", 1.0)
    assert problems[1].status == "untouched"
    assert problems[1].strength is None


def test_the_overview_shows_what_was_submitted_last(home: Home, record: Callable[..., str]) -> None:
    ids = [record("01", "WA") for _ in range(7)]
    found = look_over(home)
    assert [line.id for line in found.recent] == ids[:1:-1]
    assert found.num_submissions == 7
    assert json.loads(json.dumps(msgspec.to_builtins(found)))["recent"][0]["verdict"] == "WA"


def test_what_is_known_is_counted_by_chapter_beside_what_is_written(home: Home) -> None:
    answered_long_ago("2.1.2.1.1", days=0)
    # Due again, not well answered, and of no topic of this bank: none of them is known.
    answered_long_ago("2.1.2.1.2", days=60)
    answered_long_ago("3.1.1.1.1", days=0, rating=Rating.HARD)
    answered_long_ago("1.1.1.1.1", days=0)
    known = {each.chapter: each for each in look_over(home).known}
    sizes = {
        chapter: sum(
            int(each.id.split(".")[0]) == chapter
            for topic in home.questions.topics
            for each in topic
        )
        for chapter in known
    }
    assert {chapter: each.num_known for chapter, each in known.items() if each.num_known} == {2: 1}
    assert {chapter: each.num_questions for chapter, each in known.items()} == sizes
