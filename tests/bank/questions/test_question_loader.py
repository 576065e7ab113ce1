from pathlib import Path

import pytest

from torchstone.bank.questions import load_questions
from torchstone.core.errors import BrokenTopic, NotFound

pytestmark = pytest.mark.pure


def spoil(file: Path, before: str, after: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after, 1), encoding="utf-8")


def test_every_topic_of_the_package_loads() -> None:
    bank = load_questions()
    assert [str(error) for error in bank.broken] == []
    assert len(bank.topics) > 1
    for topic in bank.topics:
        assert topic.demo.setup
        assert topic.answers
        assert [section.id for section in topic.texts["zh"].sections] == [q.id for q in topic]


def test_a_question_has_its_points_texts_and_cells() -> None:
    bank = load_questions()
    question = bank.question("2.1.2.1.1")
    assert question.key_points[0].say.zh[0].startswith("@view")
    assert question.subjects == {"view": "view", "reshape": "reshape"}
    topic = bank.topic(question.topic_id)
    section = topic.section(question.id, "zh")
    assert section is not None
    assert section.title == question.zh
    assert section.short.startswith("两者都按原来的次序")
    assert section.calls[0] == "one storage, two readings"
    cell = topic.demo.cell("one storage, two readings")
    assert cell is not None
    assert cell.claims == {3: "view-shares", 5: "write-shows-through"}
    assert cell.outputs == {6: ("(4, 1)",)}


def test_a_broken_topic_costs_that_topic_alone(content: Path, views: Path) -> None:
    other = content / "questions" / "2.1.2.2_bad"
    other.mkdir()
    (other / "topic.toml").write_text("id = 3")
    (content / "questions" / "notes").mkdir()
    bank = load_questions(content)
    assert [topic.id for topic in bank.topics] == ["2.1.2.1"]
    assert [error.values["topic"] for error in bank.broken] == ["notes", "2.1.2.2_bad"]
    with pytest.raises(BrokenTopic, match=r"id: Expected `str`, got `int`"):
        bank.topic("2.1.2.2")


def test_an_unknown_number_names_those_near_it() -> None:
    bank = load_questions()
    with pytest.raises(NotFound, match=r"no question 2\.1\.2\.1\.9") as caught:
        bank.question("2.1.2.1.9")
    assert "2.1.2.1.4" in caught.value.hint("en")
    with pytest.raises(NotFound, match=r"no topic of questions 2\.1\.2\.9"):
        bank.topic("2.1.2.9")
    with pytest.raises(NotFound):
        bank.question("nonsense")


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("minutes = 3", "minutse = 3", "minutse"),
        ('claims = ["effect-depends-on-strides"]\n', "", "do-not-rely"),
        ("follow_up = {", "later = {", "later"),
        ("weight = 2", "weight = 4", "weight"),
        ('id = "2.1.2.1.1"', 'id = "2.1.2.2.1"', "2.1.2.2.1"),
        ('kind = "wheel"', 'kind = "page"', "file"),
        ('zh = "view() 与 reshape() 有何不同？"', 'zh = "view?"', "Chinese"),
    ],
)
def test_a_violated_schema_is_named(
    content: Path, views: Path, before: str, after: str, complaint: str
) -> None:
    spoil(views / "topic.toml", before, after)
    (error,) = load_questions(content).broken
    assert complaint in str(error)
