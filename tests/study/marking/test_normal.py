"""What separates sentences and clauses, and what does not."""

import re

import pytest

from torchstone.study.marking.clauses import Subjects, split_clauses
from torchstone.study.marking.normal import language_of, normalise

pytestmark = pytest.mark.pure


def clauses_of(answer: str) -> list[str]:
    normal = normalise(answer)
    return [normal.text[c.start : c.end].strip() for c in split_clauses(normal, Subjects({}))]


def sentences_of(answer: str) -> int:
    return len({clause.sentence for clause in split_clauses(normalise(answer), Subjects({}))})


def test_wrapping_does_not_end_a_sentence():
    assert sentences_of("view shares its storage\nwith the source.") == 1
    assert clauses_of("结果共享\n存储") == ["结果共享存储"]


def test_a_blank_line_and_a_list_mark_end_a_sentence():
    assert sentences_of("view shares\n\nreshape copies") == 2
    assert sentences_of("- view shares\n- reshape copies\n2. clone copies") == 3


@pytest.mark.parametrize(
    "answer",
    [
        "the key `module. prefix` stays",
        "x.view(2, 1) keeps it",
        "the shape (2, 1) is kept",
        "x[-n:] is a view",
        "x[[0, 2], [1, 3]] picks two",
        "log(0.5) e.g. here",
        "a != b holds",
        "为省内存而重算",
        "这一步通不过检查",
    ],
)
def test_code_and_parts_of_words_are_not_split(answer):
    assert len(clauses_of(answer)) == 1


def test_a_contrast_and_a_full_width_sign_separate_clauses():
    assert clauses_of("view 不复制而 reshape 会，有时") == ["view 不复制", "reshape 会", "有时"]
    assert clauses_of("view shares but reshape copies") == ["view shares", "reshape copies"]


def test_an_aside_between_commas_stays_with_its_subject():
    assert clauses_of("expand, too, copies nothing") == ["expand, too, copies nothing"]


def test_a_clause_without_a_subject_is_about_the_one_before():
    subjects = Subjects({"view": re.compile("view"), "reshape": re.compile("reshape")})
    normal = normalise("view shares. It never copies, while reshape may. Both keep the order.")
    about = [clause.subjects for clause in split_clauses(normal, subjects)]
    assert about == [{"view"}, {"view"}, {"reshape"}, {"view", "reshape"}]


def test_the_language_is_that_of_most_words():
    assert language_of("用 torch.no_grad() 关闭记录，省显存") == "zh"
    assert language_of("It switches recording off (关闭).") == "en"


def test_every_character_knows_where_it_came_from():
    answer = "用`view`：ﬁne"
    normal = normalise(answer)
    assert normal.text == "用view:fine"
    assert "".join(answer[place] for place in normal.origin[:-1]) == "用view：ﬁﬁne"
