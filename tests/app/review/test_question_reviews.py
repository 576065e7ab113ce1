from dataclasses import replace

import pytest

from tests.app.questions.conftest import answered_long_ago
from torchstone.app.home import Home
from torchstone.app.questions.asking import note_shown
from torchstone.app.review.question_reviews import QuestionQueue, question_log, undo_question
from torchstone.app.review.reviews import list_reviews
from torchstone.core.errors import BadInput

pytestmark = pytest.mark.plain

VIEW = "2.1.2.1.1"


def ids(queue: QuestionQueue) -> tuple[list[str], list[str], list[str]]:
    today, waiting, later = (
        [item.question_id for item in items] for items in (queue.today, queue.waiting, queue.later)
    )
    return today, waiting, later


def test_due_questions_are_planned_for_today_or_wait(home: Home) -> None:
    answered_long_ago(VIEW, days=60)
    answered_long_ago("2.1.2.1.2", days=30)
    answered_long_ago("2.1.1.3.1", days=20)
    answered_long_ago("2.1.1.3.2", days=0)
    found = list_reviews(home)
    # A question of topic 2.1.1.3 was answered today already.
    today, waiting, later = ids(found.questions)
    assert today == [VIEW]
    assert sorted(waiting) == ["2.1.1.3.1", "2.1.2.1.2"]
    assert later == ["2.1.1.3.2"]
    assert found.forecast[0].count == 3
    assert "Due since" in found.questions.today[0].date_reason["en"]
    none = replace(home, settings=replace(home.settings, question_minutes=0))
    assert not list_reviews(none).questions.today


def test_a_review_of_a_question_is_undone(home: Home) -> None:
    note_shown(home, VIEW)
    (line,) = question_log(home, VIEW)
    assert line.can_undo
    assert "looked at the answer first" in line.reason["en"]
    assert undo_question(home, VIEW, reviewed_at=line.reviewed_at) is None
    with pytest.raises(BadInput, match="no such review"):
        undo_question(home, VIEW, reviewed_at=line.reviewed_at)
    assert question_log(home, VIEW)[0].undone_at is not None
    assert ids(list_reviews(home).questions) == ([], [], [])


def test_a_question_that_this_bank_lacks_is_left_out(home: Home) -> None:
    answered_long_ago("9.9.9.9.9", days=60)
    assert ids(list_reviews(home).questions) == ([], [], [])
