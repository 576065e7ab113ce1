"""The patterns of the bank's topics accuse nobody who denies, and credit nothing that is empty."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.study.marking.denials import deny_en, deny_zh
from torchstone.bank.loader import CONTENT
from torchstone.study.marking import mark, read_asked

TOPICS = sorted((CONTENT / "questions").glob("*/topic.toml"))

pytestmark = pytest.mark.pure

each_topic = pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.parent.name, marks=() if place % 10 == 0 else pytest.mark.full)
        for place, path in enumerate(TOPICS)
    ],
)


@each_topic
def test_denying_a_misconception_is_no_misconception(path: Path):
    accusations = []
    for asked, table in zip(read_asked(path), read_questions(path), strict=True):
        for mistake in table.get("misconception", []):
            for said in (*deny_en(mistake["en"]), *deny_zh(mistake["zh"])):
                accusations += [(said, a.id) for a in mark(said, asked).misconceptions]
    assert not accusations


@each_topic
def test_key_words_and_the_question_itself_earn_nothing(path: Path):
    credited = []
    for asked, table in zip(read_asked(path), read_questions(path), strict=True):
        words = re.findall(r"[A-Za-z_]{4,}", " ".join(p["en"] for p in table["key_point"]))
        nouns = [word for word in words if word not in ("this", "that", "with", "from", "when")]
        pasted = (*asked.words.values(), "\n".join(asked.words.values()))
        for said in (", ".join(nouns), *pasted, *(text.rstrip("?？") for text in pasted)):
            marked = mark(said, asked)
            if marked.found or marked.misconceptions or marked.refusal is None:
                credited.append(said)
    assert not credited


def read_questions(path: Path) -> list[dict]:
    return tomllib.loads(path.read_text(encoding="utf-8"))["question"]
