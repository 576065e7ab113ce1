"""Choose the question to ask: a due one first, then the next unanswered one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from torchstone.app.home import Home
from torchstone.app.problems.problem_state import local_now
from torchstone.app.questions.question_state import (
    QuestionState,
    find_question_states,
    known_question,
    plan_questions,
)
from torchstone.bank.questions import Question, QuestionBank
from torchstone.core.errors import BrokenTopic


def choose_question(
    home: Home, *, topic: str | None = None, level: int | None = None, only_due: bool = False
) -> Question | None:
    """Choose the question to ask now.

    Of today's due questions it is the weakest, see ``study.plan_day``. Without one, it is the next
    unanswered question after the last answered one, in the order of the bank.

    Args:
        home: The learner's home.
        topic: Only questions of this topic; a due one then does not wait for another day.
        level: Only questions of this level, 1 to 4.
        only_due: Only questions whose review is due.

    Returns:
        The question; None if there is none.

    Raises:
        NotFound: There is no such topic.
        BrokenTopic: The folder of the topic cannot be read.
    """
    bank = home.questions
    if topic is not None:
        bank.topic(topic)
    with home.open_store() as store:
        states = find_question_states(store, local_now())
    plan = plan_questions(home, states)
    due = plan.today if topic is None else (*plan.today, *plan.waiting)
    asked = (one for number in due if (one := known_question(bank, number)) is not None)
    fresh = iter(()) if only_due else _fresh(bank, states, topic)
    fitting = (one for one in chain(asked, fresh) if _fits(one, topic, level))
    return next(fitting, None)


def _fits(question: Question, topic: str | None, level: int | None) -> bool:
    return topic in (None, question.topic_id) and level in (None, question.level)


def _fresh(
    bank: QuestionBank, states: Mapping[str, QuestionState], topic: str | None
) -> Iterator[Question]:
    """Yield the unanswered questions; a folder is read when it is reached."""
    numbers = [topic] if topic is not None else list(bank.folders)
    reviewed = [
        (state.entry.reviewed_at, number) for number, state in states.items() if state.entry
    ]
    last = max(reviewed, default=None)
    at = last[1].rpartition(".")[0] if last else ""
    place = numbers.index(at) if at in numbers else 0
    # From the topic of the last answer to the end, then from the first topic.
    for number in numbers[place:] + numbers[:place]:
        try:
            questions = bank.topic(number).questions
        except BrokenTopic:
            continue
        yield from (question for question in questions if question.id not in states)
