"""Agreement with a person: how it is counted, and that it reaches its goals."""

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pytest

from torchstone.bank.loader import CONTENT
from torchstone.study.marking import (
    Agreement,
    Asked,
    Measured,
    Point,
    Written,
    mark,
    measure,
    read_asked,
    read_written,
)

pytestmark = pytest.mark.pure

TOPICS = sorted((CONTENT / "questions").glob("*/topic.toml"))
HELD_OUT = [
    Path(__file__).with_name(f"held_out{which}.toml") for which in ("", "_second", "_third")
]
LEARNT_FROM = Path(__file__).with_name("learnt_from.toml")
LOOKED_AT = Path(__file__).with_name("looked_at.toml")
MENDED_ON = Path(__file__).with_name("mended_on.toml")
WIDENED_ON = Path(__file__).with_name("widened_on.toml")
# Every tenth topic in the gate, all of them in the full run.
SOME = TOPICS[::10]


def measure_topics(topics: Iterable[Path]) -> Measured:
    questions = {asked.id: asked for path in topics for asked in read_asked(path)}
    answers = [answer for path in topics for answer in read_written(path.with_name("answers.toml"))]
    return measure(answers, questions)


def test_precision_recall_and_kappa_are_those_of_the_table():
    table = Agreement(both=20, marker_only=5, person_only=10, neither=15)
    assert table.precision == pytest.approx(0.8)
    assert table.recall == pytest.approx(2 / 3)
    # 35 of 50 agree; chance gives (25 * 30 + 25 * 20) / 2500 = 0.5.
    assert table.kappa == pytest.approx(0.4)
    assert Agreement(neither=4).kappa == 1.0


def test_rows_count_answers_by_language_and_kind_and_name_what_differs():
    asked = Asked(
        id="q",
        words={"en": "What?", "zh": "什么？"},
        points=(Point(id="a", weight=1, say={"en": ("shares",)}),),
        subjects={},
    )
    answers = [
        Written(question="q", lang="en", kind="full", text=text, found=("a",), misconceptions=())
        for text in ("It shares memory.", "It is the very bytes of its source.")
    ]
    measured = measure(answers, {"q": asked})
    assert measured.rows["en"].num_answers == measured.rows["full"].num_answers == 2
    assert measured.rows["all"].points == Agreement(both=1, person_only=1)
    assert [(d.id, d.by, d.text) for d in measured.points] == [
        ("a", "person", "It is the very bytes of its source.")
    ]


def test_an_answer_to_what_does_not_exist_is_refused():
    lost = Written(question="q", lang="en", kind="full", text="x", found=(), misconceptions=())
    with pytest.raises(ValueError, match="'q'"):
        measure([lost], {})


def reaches_goals(measured: Measured) -> None:
    whole = measured.rows["all"]
    assert whole.points.precision >= 0.97
    assert whole.points.recall >= 0.92
    assert whole.points.kappa >= 0.88
    assert whole.misconceptions.precision >= 0.98
    assert whole.misconceptions.recall >= 0.85
    zh, en = measured.rows["zh"], measured.rows["en"]
    assert abs(zh.points.precision - en.points.precision) <= 0.05
    assert abs(zh.points.recall - en.points.recall) <= 0.05
    assert measured.rows["stuffed"].points.marker_only == 0


def test_some_topics_reach_the_goals():
    reaches_goals(measure_topics(SOME))


@pytest.mark.full
def test_all_topics_reach_the_goals():
    reaches_goals(measure_topics(TOPICS))


@pytest.mark.full
def test_answers_that_were_learnt_from_reach_their_goals():
    questions = {asked.id: asked for path in TOPICS for asked in read_asked(path)}
    reaches_goals_of_unseen(measure(read_written(LEARNT_FROM), questions))


@pytest.mark.full
@pytest.mark.xfail(
    strict=True,
    reason="key points .88 to .94 precise: what is said the wrong way round is often credited;"
    " misconceptions .80, not .95",
)
@pytest.mark.parametrize("file", HELD_OUT, ids=lambda file: file.stem)
def test_answers_by_other_authors_reach_the_goals_of_unseen_ones(file):
    questions = {asked.id: asked for path in TOPICS for asked in read_asked(path)}
    reaches_goals_of_unseen(measure(read_written(file), questions))


def reaches_goals_of_unseen(measured: Measured) -> None:
    whole, zh, en = (measured.rows[name] for name in ("all", "zh", "en"))
    assert abs(zh.points.precision - en.points.precision) <= 0.05
    assert abs(zh.points.recall - en.points.recall) <= 0.05
    assert whole.points.recall >= 0.70
    assert whole.points.precision >= 0.94
    assert whole.misconceptions.precision >= 0.95
    assert measured.rows["stuffed"].points.marker_only == 0


@pytest.mark.full
def test_answers_that_rules_were_found_on_reach_their_goals():
    questions = {asked.id: asked for path in TOPICS for asked in read_asked(path)}
    whole = measure(read_written(LOOKED_AT), questions).rows["all"]
    assert whole.points.precision >= 0.94
    # A wording met alone is held against what stands beside it, for 5 in 100 of the recall.
    assert whole.points.recall >= 0.78


@pytest.mark.full
def test_answers_that_wordings_were_widened_on_reach_their_goals():
    questions = {asked.id: asked for path in TOPICS for asked in read_asked(path)}
    whole = measure(read_written(WIDENED_ON), questions).rows["all"]
    assert whole.points.precision >= 0.94
    assert whole.points.recall >= 0.75
    assert whole.misconceptions.precision >= 0.95


@pytest.mark.full
def test_answers_that_patterns_were_mended_on_reach_the_goals():
    questions = {asked.id: asked for path in TOPICS for asked in read_asked(path)}
    whole = measure(read_written(MENDED_ON), questions).rows["all"]
    assert whole.points.precision >= 0.94
    assert whole.points.recall >= 0.92
    assert whole.misconceptions.precision >= 0.98
    assert whole.misconceptions.recall >= 0.85


@pytest.mark.parametrize("path", SOME, ids=lambda path: path.parent.name)
def test_a_sentence_from_another_answer_never_lowers_coverage(path):
    questions = {asked.id: asked for asked in read_asked(path)}
    answers = read_written(path.with_name("answers.toml"))
    right = [answer for answer in answers if answer.kind in ("full", "partial")]
    for first, second in pairwise(right):
        asked = questions[first.question]
        before = mark(first.text, asked).coverage
        assert mark(f"{first.text} {second.text}", asked).coverage >= before
