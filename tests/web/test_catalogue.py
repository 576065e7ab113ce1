"""What a problem is about is named once, in both languages, and never made up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shipped import shipped_bank
from torchstone.web.catalogue import chapters_of, concepts_of, list_chapters, list_parts
from torchstone.web.schemas import Numbered

pytestmark = pytest.mark.pure

QUESTIONS = st.lists(
    st.one_of(
        st.from_regex(r"\A[0-9]{1,2}(\.[0-9]{1,2}){0,5}\Z"), st.text("0123456789. x", max_size=12)
    ),
    max_size=8,
)


@pytest.mark.parametrize(("found", "count"), [(list_chapters(), 10), (list_parts(), 5)])
def test_each_is_numbered_from_one_and_named_in_both_languages(
    found: list[Numbered], count: int
) -> None:
    assert [each.number for each in found] == list(range(1, count + 1))
    for lang in ("en", "zh"):
        names = [getattr(each.name, lang) for each in found]
        assert all(names)
        assert len(set(names)) == count


def test_a_part_is_there_for_every_problem() -> None:
    numbers = {part.number for part in list_parts()}
    assert {problem.spec.part for problem in shipped_bank()} <= numbers


def test_questions_of_one_subject_name_it_once_and_in_their_order() -> None:
    found = concepts_of(["4.2.2.2.1", "2.2.1.2.1", "4.2.2.1.3", "2.2.1.1.1"])
    assert [each.id for each in found] == ["4.2.2", "2.2.1"]
    assert found[1].name.model_dump() == {"en": "Tensor arithmetic", "zh": "算术与归约"}


def test_where_only_a_chapter_is_known_the_chapter_is_named() -> None:
    assert [each.id for each in concepts_of(["4.99.1.1.1"])] == ["4"]


def test_every_problem_is_about_something() -> None:
    for problem in shipped_bank():
        named, chapters = concepts_of(problem.spec.concepts), chapters_of(problem.spec.concepts)
        assert named
        assert sorted({int(each.id.partition(".")[0]) for each in named}) == chapters


@given(QUESTIONS)
def test_a_number_that_nobody_gave_names_nothing(questions: list[str]) -> None:
    known = {chapter.number for chapter in list_chapters()}
    assert set(chapters_of(questions)) <= known
    named = concepts_of(questions)
    assert len({each.id for each in named}) == len(named) <= len(questions)
    assert all(any(question.startswith(each.id) for question in questions) for each in named)
