"""The open items: what they cover, and how the marker reads the answers that they come with."""

import pytest

from torchstone.app.interview.marking import as_open
from torchstone.app.interview.material import Material
from torchstone.core.i18n import LANGS
from torchstone.interview.coverage import cover
from torchstone.study.marking import mark

pytestmark = pytest.mark.plain


def test_every_point_of_the_outline_has_an_item(material: Material) -> None:
    points = cover(material.pool, material.outline)
    assert len(points) == 156
    assert len(list(material.outline.topics)) == 39
    assert [point.id for point in points if not point.num_items] == []


def test_every_question_that_the_outline_names_exists(material: Material) -> None:
    known = {q.id for q in material.home.questions.questions}
    known |= {topic.id for topic in material.home.questions.topics}
    named = {name for point in material.outline.points for name in point.questions}
    assert named <= known


@pytest.mark.full
def test_the_best_answer_states_every_criterion_and_the_question_none(material: Material) -> None:
    for item in material.open_items.values():
        asked = as_open(item)
        for lang in LANGS:
            best = mark(item.anchors[-1].said_in(lang), asked)
            assert best.coverage == 1, (item.id, lang, best.not_found)
            assert mark(item.words[lang], asked).coverage == 0, (item.id, lang)
