import pytest

from torchstone.app.home import Home
from torchstone.app.search.documents import Findable, FindableText
from torchstone.app.search.ranking import QuestionRanker
from torchstone.bank.questions.said import load_said
from torchstone.store.search_index import DocumentKind

pytestmark = pytest.mark.pure


def question(number: str, en: str, zh: str, *said: str, topic: str = "") -> Findable:
    texts = {
        lang: FindableText(
            title=title, names=(number,), body="", keywords=topic, said=said, topic=topic
        )
        for lang, title in (("en", en), ("zh", zh))
    }
    return Findable(kind=DocumentKind.QUESTION, id=number, texts=texts)


RANKER = QuestionRanker(
    [
        question(
            "1", "How is a gradient clipped?", "怎样裁剪梯度？", "training explodes", "梯度爆炸"
        ),
        question("2", "What does dropout do?", "dropout 做什么？", "random outputs", "输出随机"),
        question("3", "What is a view?", "视图是什么？", "the loss", "the loss", "损失"),
    ]
)


def nearest(query: str) -> str:
    scores = RANKER.scores(query)
    return max(scores, key=scores.__getitem__)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("my training is exploding", "1"),
        ("the output was different and random again", "2"),
        ("输出怎么是随机的", "2"),
        ("clipping gradients", "1"),
    ],
)
def test_a_symptom_finds_its_question_by_stems_and_without_grammar(query: str, wanted: str) -> None:
    assert nearest(query) == wanted


def test_what_shares_no_word_has_no_score() -> None:
    assert "3" not in RANKER.scores("why does it explode")
    assert RANKER.scores("how is it") == {}


def test_of_questions_of_one_word_the_one_whose_topic_it_is_comes_first() -> None:
    ranker = QuestionRanker(
        [
            question("1", "Which shapes fit?", "形状怎样才相容？", topic="Broadcasting"),
            question(
                "2", "How is a model sent?", "模型怎样发送？", topic="Broadcasting to all ranks"
            ),
        ]
    )
    scores = ranker.scores("broadcasting")
    assert scores["1"] > scores["2"] > 0


def test_of_two_questions_the_one_of_which_people_say_more_of_it_comes_first() -> None:
    once, twice = ("loss is nan", "slow start"), ("loss is nan", "loss became nan")
    ranker = QuestionRanker([question("1", "A?", "甲", *once), question("2", "A?", "甲", *twice)])
    scores = ranker.scores("the loss is nan")
    assert scores["2"] > scores["1"]


def test_people_say_something_of_every_question_in_both_languages() -> None:
    asked = {question.id for topic in Home().questions.topics for question in topic}
    said = load_said()
    assert set(said) == asked
    # A phrase stands once, or it would count twice.
    for each in said.values():
        for phrases in (each.en, each.zh):
            assert len(set(phrases)) == len(phrases) >= 3
