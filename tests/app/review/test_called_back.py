from collections.abc import Callable

import pytest

from tests.app.questions.conftest import answered_long_ago
from tests.reports import make_report
from torchstone.app.home import Home
from torchstone.app.judging.submission import judged_from
from torchstone.app.questions.catalog import list_questions
from torchstone.app.review.after_verdict import conclude
from torchstone.app.review.question_reviews import question_log
from torchstone.app.review.reviews import list_reviews
from torchstone.bank.mistaken import load_mistaken
from torchstone.judge.messages import Misconception
from torchstone.study import Recall

pytestmark = pytest.mark.pure

KEEPDIM = "2.2.1.2.2"
UNSEEN = "2.2.1.2.1"


def conclude_mistake(home: Home, submission: str, name: str, verdict: str = "WA") -> None:
    report = make_report("01", verdict, misconception=Misconception(name=name, cases=1))
    conclude(home, judged_from(home.problem("01"), report, submission=submission))


def recall_of(home: Home, number: str) -> Recall:
    topics = list_questions(home).topics
    return next(row.recall for topic in topics for row in topic.questions if row.id == number)


def test_a_wrong_submission_makes_the_questions_of_its_misconception_due(
    home: Home, record: Callable[..., str]
) -> None:
    answered_long_ago(KEEPDIM, days=0)
    assert recall_of(home, KEEPDIM) is Recall.KNOWN
    submission = record(verdict="WA")
    conclude_mistake(home, submission, "no_keepdim")
    assert recall_of(home, KEEPDIM) is Recall.DUE
    assert [item.question_id for item in list_reviews(home).questions.today] == [KEEPDIM]
    line = question_log(home, KEEPDIM)[0]
    assert "problem 01" in line.reason["en"]
    assert line.can_undo
    # The same submission counts once.
    conclude_mistake(home, submission, "no_keepdim")
    assert len(question_log(home, KEEPDIM)) == 2


def test_what_was_never_answered_and_what_another_mistake_names_stay(
    home: Home, record: Callable[..., str]
) -> None:
    answered_long_ago(KEEPDIM, days=0)
    conclude_mistake(home, record(verdict="WA"), "wrong_default_dim")
    assert recall_of(home, KEEPDIM) is Recall.KNOWN
    assert recall_of(home, UNSEEN) is Recall.UNSEEN


def test_each_mistake_and_each_question_of_the_table_exists(home: Home) -> None:
    for problem, mistakes in load_mistaken().items():
        assert set(mistakes) <= {wrong.name for wrong in home.problem(problem).wrong}
        for number in {each for questions in mistakes.values() for each in questions}:
            home.questions.question(number)
