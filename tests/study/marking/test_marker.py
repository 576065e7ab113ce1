"""What an answer earns, and what it is accused of."""

import pytest

from torchstone.study.marking import MAX_CHARS, Asked, Mistake, Point, Refusal, mark

pytestmark = pytest.mark.pure

ASKED = Asked(
    id="2.1.2.1.1",
    words={"en": "How do view() and reshape() differ?", "zh": "view() 与 reshape() 有何不同？"},
    points=(
        Point(
            id="view-shares",
            weight=2,
            say={"en": ("@view & shares?|same memory",), "zh": ("@view & 共享|同一块",)},
        ),
        Point(
            id="view-raises",
            weight=1,
            say={"en": ("@view & raises?|fails?",), "zh": ("@view & 报错|失败",)},
        ),
        Point(
            id="reshape-copies",
            weight=1,
            say={"en": ("@reshape & must|otherwise & copies",), "zh": ("@reshape & 否则 & 复制",)},
        ),
    ),
    mistakes=(
        Mistake(
            id="reshape-is-a-copy",
            say={"en": ("@reshape & always & copies",), "zh": ("@reshape & 总是 & 复制",)},
        ),
    ),
    subjects={"view": "view", "reshape": "reshape"},
)


def found(answer: str) -> set[str]:
    return {found.id for found in mark(answer, ASKED).found}


def accused(answer: str) -> bool:
    return bool(mark(answer, ASKED).misconceptions)


def test_a_point_carries_the_words_that_earned_it():
    answer = "Both change the shape;  `view` shares the memory, or it fails."
    marked = mark(answer, ASKED)
    quotes = {found.id: found.quote for found in marked.found}
    assert quotes == {"view-shares": "`view` shares the memory", "view-raises": "or it fails"}
    assert all(answer[found.start : found.end] == found.quote for found in marked.found)
    assert marked.not_found == ("reshape-copies",)
    assert marked.coverage == 0.75


def test_patterns_of_both_languages_are_tried():
    marked = mark(
        "view 得到的是 same memory，不连续时会报错；reshape 必要时才复制，否则 copies", ASKED
    )
    assert marked.lang == "zh"
    assert {found.id for found in marked.found} >= {"view-shares", "view-raises"}


@pytest.mark.parametrize(
    "answer",
    [
        "reshape always copies the data.",
        "reshape 总是复制数据。",
        "When you call reshape, it always copies.",
    ],
)
def test_a_misconception_is_named(answer):
    assert accused(answer)
    assert not found(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "It is not true that reshape always copies.",
        "reshape does not always copy, it copies if it must.",
        "reshape always copies? No.",
        "People say that reshape always copies, but that is a myth.",
        "reshape always copies. That is wrong.",
        "It isn't right that, as some believe, reshape always copies.",
        "并不是说 reshape 总是复制。",
        "reshape 并不总是复制。",
        "有人认为 reshape 总是复制，其实不是。",
        "reshape 总是复制，这种说法不对。",
        "reshape 总是复制。这是错的。",
    ],
)
def test_who_denies_a_misconception_is_not_accused(answer):
    assert not accused(answer)


@pytest.mark.parametrize(
    ("answer", "refusal"),
    [
        ("", Refusal.EMPTY),
        (" \n。", Refusal.EMPTY),
        ("view reshape strides copy storage contiguous shares error", Refusal.LIST_OF_WORDS),
        ("view, reshape, shares, fails, copies, storage", Refusal.LIST_OF_WORDS),
        (
            "view shares storage because strides cannot cannot copy contiguous tensors memory error"
            " kernel layout dense element pointer offset buffer array tensor header reshape copies",
            Refusal.LIST_OF_WORDS,
        ),
        ("view 共享 存储 reshape 否则 复制 报错", Refusal.LIST_OF_WORDS),
        ("How do view() and reshape() differ?", Refusal.QUESTION_BACK),
        ("how view and reshape differ", Refusal.QUESTION_BACK),
        ("view() 与 reshape() 有何不同", Refusal.QUESTION_BACK),
        ("view shares. " * (MAX_CHARS // 10), Refusal.TOO_LONG),
    ],
)
def test_what_states_nothing_is_refused_with_the_reason(answer, refusal):
    marked = mark(answer, ASKED)
    assert marked.refusal is refusal
    assert marked.coverage == 0.0
    assert not marked.found
    assert marked.not_found == ("view-shares", "view-raises", "reshape-copies")


@pytest.mark.parametrize(
    "answer",
    [
        "view() shares its memory.",
        "view 共享内存。",
        "view shares.",
        "view 和原张量共享存储，不连续会报错。",
        "`x.view(2, 3, 4, 5)` 共享存储。",
        "`a`、`b`、`x.c`、`x.d`、`torch.e` 这些写法和 view 一样，都会与它共享存储。",
    ],
)
def test_a_short_true_sentence_is_no_list_of_words(answer):
    assert mark(answer, ASKED).refusal is None
    assert "view-shares" in found(answer)


def test_a_true_sentence_more_takes_nothing_away():
    answer = "view shares the memory. It fails otherwise."
    more = [
        "reshape copies if it must.",
        "storage strides view copy fails shares",
        "reshape 否则就复制。",
    ]
    before = mark(answer, ASKED).coverage
    for sentence in more:
        answer = f"{answer} {sentence}"
        after = mark(answer, ASKED).coverage
        assert after >= before
        before = after


def test_the_former_and_the_latter_are_the_things_asked_about():
    assert found("The former shares the memory, the latter copies if it must.") == {
        "view-shares",
        "reshape-copies",
    }
    assert found("前者共享内存，后者否则就复制。") == {"view-shares", "reshape-copies"}
