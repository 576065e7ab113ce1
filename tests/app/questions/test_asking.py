from dataclasses import replace

import pytest

from tests.app.questions.conftest import answered_long_ago
from torchstone.app.home import Home
from torchstone.app.problems.problem_state import local_now
from torchstone.app.questions.answered import Corrections
from torchstone.app.questions.asking import Given, correct, hand_in, note_shown
from torchstone.app.questions.choosing import choose_question
from torchstone.app.questions.question_state import (
    find_question_state,
    item_of_question,
)
from torchstone.core.errors import BadInput, NotFound
from torchstone.store import ReviewEntry
from torchstone.study import Rating, Recall

pytestmark = pytest.mark.plain

VIEW = "2.1.2.1.1"


def model_answer(home: Home, number: str = VIEW) -> str:
    section = home.questions.topic(number.rpartition(".")[0]).section(number, "en")
    assert section is not None
    return section.short


def log(home: Home, number: str = VIEW) -> list[ReviewEntry]:
    with home.open_store() as store:
        return store.review_log(item_of_question(number))


def recall(home: Home, number: str = VIEW) -> Recall:
    with home.open_store() as store:
        return find_question_state(store, number, local_now()).recall


def test_the_model_answer_within_its_minutes_is_easy_and_comes_back(home: Home) -> None:
    answer = model_answer(home)
    answered = hand_in(home, VIEW, Given(text=answer, seconds=60))
    assert answered.coverage == 1
    assert not answered.missed
    assert not answered.misconceptions
    assert answered.rating == Rating.EASY
    assert answered.due is not None
    assert answered.due > local_now()
    assert answered.reason.date is not None
    assert all(answer[point.start : point.end] == point.quote for point in answered.found)
    (entry,) = log(home)
    assert entry.evidence["answer"] == answer
    assert recall(home) is Recall.KNOWN


def test_a_second_answer_the_same_day_is_practice(home: Home) -> None:
    first = hand_in(home, VIEW, Given(text=model_answer(home)))
    again = hand_in(home, VIEW, Given(text="I have never met either of these two functions."))
    assert again.coverage == 0
    assert again.rating is None
    assert again.due == first.due
    assert len(log(home)) == 1


def test_what_was_said_is_credited_counted_and_rated_again(home: Home) -> None:
    weak = Given(text="I have never met either of these two functions.", seconds=20)
    first = hand_in(home, VIEW, weak)
    assert first.rating == Rating.AGAIN
    every = tuple(point.id for point in first.missed)
    made = Corrections(credited=every, of=first.corrections.of)
    better, _ = correct(home, VIEW, made)
    assert better.coverage == 1
    assert {point.by for point in better.found} == {"learner"}
    # Good and not Easy: the marker found none of it.
    assert better.rating == Rating.GOOD
    before, after = log(home)
    assert before.undone_at is not None
    assert after.evidence["credited"] == list(every)
    assert after.evidence["num_credited"] == len(every)
    # The correction is taken back whole: what counts is the last list.
    back, _ = correct(home, VIEW, Corrections(of=better.corrections.of))
    assert back.rating == Rating.AGAIN
    assert back.coverage == 0
    with pytest.raises(BadInput, match="another review followed"):
        correct(home, VIEW, made)


def test_what_was_not_said_is_denied(home: Home) -> None:
    answered = hand_in(home, VIEW, Given(text=model_answer(home), seconds=20))
    heaviest = max(answered.found, key=lambda point: point.weight)
    made = Corrections(denied=(heaviest.id,), of=answered.corrections.of)
    worse, _ = correct(home, VIEW, made)
    assert worse.coverage < 1
    assert [point.id for point in worse.missed if point.is_denied] == [heaviest.id]
    for wrong in (replace(made, credited=("nothing",)), replace(made, denied=("nothing",))):
        with pytest.raises(BadInput, match="cannot be corrected"):
            correct(home, VIEW, replace(wrong, of=worse.corrections.of))


def test_a_misconception_brings_the_question_back_unless_it_is_taken_back(home: Home) -> None:
    (wrong, *_) = home.questions.question(VIEW).misconceptions
    answered = hand_in(home, VIEW, Given(text=f"{model_answer(home)}\n\n{wrong.en}"))
    (named,) = answered.misconceptions
    assert named.id == wrong.id
    assert named.cells
    assert answered.rating == Rating.AGAIN
    made = Corrections(taken_back=(wrong.id,), of=answered.corrections.of)
    assert correct(home, VIEW, made)[0].rating == Rating.GOOD


def test_points_are_ticked_after_an_answer_aloud(home: Home) -> None:
    points = home.questions.question(VIEW).key_points
    given = Given(said=tuple(point.id for point in points), seconds=30)
    answered = hand_in(home, VIEW, given)
    assert answered.coverage == 1
    assert answered.rating == Rating.GOOD
    with pytest.raises(BadInput, match="cannot be corrected"):
        hand_in(home, VIEW, replace(given, said=("nothing",)))


def test_who_looks_first_meets_the_question_soon_and_cannot_mend_that(home: Home) -> None:
    shown = note_shown(home, VIEW)
    assert shown.rating == Rating.AGAIN
    assert shown.reason.rating is not None
    assert "first" in shown.reason.rating["en"]
    assert recall(home) is Recall.FADING
    assert hand_in(home, VIEW, Given(text=model_answer(home))).rating is None
    with pytest.raises(BadInput, match="no marking to correct"):
        correct(home, VIEW, Corrections(of=shown.corrections.of))


def test_after_an_undo_the_next_answer_counts(home: Home) -> None:
    note_shown(home, VIEW)
    with home.open_store() as store:
        assert store.undo_review(item_of_question(VIEW))
    assert hand_in(home, VIEW, Given(text=model_answer(home), seconds=9)).rating == Rating.EASY


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        (" \n\t ", "empty"),
        ("view, reshape, stride, storage, copy", "list of words"),
        ("How do view() and reshape() differ?", "repeats question"),
        ("It shares the storage. " * 50_000, "longer than"),
    ],
)
def test_what_cannot_be_marked_is_refused_and_records_nothing(
    home: Home, text: str, said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        hand_in(home, VIEW, Given(text=text))
    assert not log(home)


def test_an_unknown_question_offers_near_ones(home: Home) -> None:
    with pytest.raises(NotFound) as caught:
        hand_in(home, "2.1.2.1.9", Given(text="x"))
    assert "2.1.2.1.4" in caught.value.hint("en")


def test_the_weakest_due_question_is_asked_first_then_a_new_one(home: Home) -> None:
    first = choose_question(home)
    assert first is not None
    assert first.id == home.questions.topic(next(iter(home.questions.folders))).questions[0].id
    answered_long_ago("2.1.2.1.2", days=5)
    answered_long_ago(VIEW, days=50)
    assert choose_question(home, only_due=True).id == VIEW  # type: ignore[union-attr]
    level = home.questions.question("2.1.2.1.2").level
    assert choose_question(home, level=level, topic="2.1.2.1").id == "2.1.2.1.2"  # type: ignore[union-attr]
    hand_in(home, VIEW, Given(text=model_answer(home)))
    hand_in(home, "2.1.2.1.2", Given(text=model_answer(home, "2.1.2.1.2")))
    assert choose_question(home, only_due=True) is None
    # After the last answer in the order of the bank.
    assert choose_question(home).id == "2.1.2.1.3"  # type: ignore[union-attr]
    with pytest.raises(NotFound):
        choose_question(home, topic="2.1.2.99")
