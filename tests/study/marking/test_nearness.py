"""A wording met by chance, in a clause that says something else, earns nothing."""

import pytest

from torchstone.study.marking import Asked, Mistake, Point, mark
from torchstone.study.marking.nearness import Nearness

pytestmark = pytest.mark.pure

ASKED = Asked(
    id="3.2.1.2.3",
    words={
        "en": "How do you read the gradient of a result?",
        "zh": "怎样读到中间结果的梯度？",
    },
    points=(
        Point(
            id="in-time",
            weight=1,
            words={
                "en": "Call retain_grad() before backward; afterwards it is too late.",
                "zh": "要在反向之前调用 retain_grad()，之后就晚了。",
            },
            say={
                "en": ("before|prior to & backward", "too late|in time"),
                "zh": ("之前 & 反向|backward", "晚了|来不及"),
            },
        ),
        Point(
            id="hook",
            weight=1,
            words={
                "en": "A hook receives the gradient while it flows past, and may store it.",
                "zh": "钩子在梯度流过时收到它，可以存下来。",
            },
            say={"en": ("hook & stores?|keeps?|receives?",), "zh": ("钩子 & 存|收到",)},
        ),
    ),
    mistakes=(
        Mistake(
            id="always-there",
            words={
                "en": "Every tensor has its .grad filled once backward has run.",
                "zh": "反向之后，每个张量的 .grad 都有值。",
            },
            say={"en": ("every tensor & filled",), "zh": ("每个张量 & 都有",)},
        ),
    ),
    subjects={},
)


def found(answer: str) -> set[str]:
    return {found.id for found in mark(answer, ASKED).found}


@pytest.mark.parametrize(
    ("answer", "earned"),
    [
        ("Call retain_grad() on it before backward.", {"in-time"}),
        ("在反向之前调用 retain_grad()。", {"in-time"}),
        # Said in words that no sentence of the question has: alone it may be there by chance.
        ("Ask prior to the backward pass.", set()),
        ("Ask prior to the backward pass, or it is too late.", {"in-time"}),
        ("Ask prior to the backward pass. A hook may store it.", {"in-time", "hook"}),
    ],
)
def test_one_wording_earns_a_point_where_it_is_near_or_other_points_are_said(answer, earned):
    assert found(answer) == earned


@pytest.mark.parametrize(
    ("answer", "earned"),
    [
        ("A hook that was set before backward receives it while it flows past.", {"hook"}),
        ("反向之前挂上的钩子，在梯度流过时收到它，可以存下来。", {"hook"}),
        # Near to a misconception whose pattern does not find it.
        ("Whatever was there before, backward has .grad filled for each tensor.", set()),
    ],
)
def test_one_wording_earns_nothing_in_a_clause_that_says_something_else(answer, earned):
    assert found(answer) == earned


def test_two_wordings_earn_a_point_wherever_they_stand():
    answer = "A hook set before backward receives it as it flows past. Afterwards it is too late."
    assert found(answer) == {"in-time", "hook"}


def test_a_wording_of_three_things_earns_a_point_beside_another():
    point = Point(id="in-time", weight=1, say={"en": ("set|call & before & backward",)})
    asked = Asked(
        id="q", words=ASKED.words, points=(point, *ASKED.points[1:]), mistakes=(), subjects={}
    )
    answer = "A hook set before backward receives it as it flows past."
    assert {found.id for found in mark(answer, asked).found} == {"in-time", "hook"}


@pytest.mark.parametrize(
    ("answer", "earned"),
    [
        ("If you ask in time, a number comes out.", set()),
        ("You call retain_grad() before backward, and a number comes out.", {"in-time"}),
        ("如果来不及，得到的就是空。", set()),
        ("在反向之前调用 retain_grad()，得到的不是空。", {"in-time"}),
        # Nearer to the point than to anything beside it, or no condition of what follows.
        ("If you call retain_grad() before backward, it works.", {"in-time"}),
        ("Ask before backward if you must.", {"in-time"}),
    ],
)
def test_a_condition_states_nothing(answer, earned):
    assert found(answer) == earned


def test_words_of_the_question_itself_bring_nothing_nearer():
    near = Nearness(ASKED, "en")
    said = "How do you read the gradient of a result?"
    assert near.of("in-time", said, said) == near.of("hook", said, said) == (0, 0)


def test_an_english_answer_is_not_read_for_chinese_wordings():
    say = {"en": ("shares",), "zh": ("it frees",)}
    asked = Asked(
        id="q",
        words={"en": "What?", "zh": "什么？"},
        points=(Point(id="a", weight=1, say=say),),
        subjects={},
    )
    assert not mark("When done, it frees the memory.", asked).found
    assert mark("用完之后 it frees 内存。", asked).found
