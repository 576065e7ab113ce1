"""The store can say every error it raises, in both languages."""

import re
from pathlib import Path

import pytest

from torchstone import store
from torchstone.core.i18n import catalogue

pytestmark = pytest.mark.pure

PLACEHOLDER = re.compile(r"\{(\w+)\}")


def test_both_languages_say_the_same() -> None:
    english, chinese = catalogue("store", "en"), catalogue("store", "zh")
    assert english.keys() == chinese.keys()
    for key, sentence in english.items():
        assert set(PLACEHOLDER.findall(sentence)) == set(PLACEHOLDER.findall(chinese[key])), key


def test_every_code_in_the_source_has_its_sentences() -> None:
    folder = Path(store.__file__).parent
    source = "".join(path.read_text() for path in sorted(folder.rglob("*.py")))
    codes = set(re.findall(r'"(store\.\w+)"', source))
    said = {key.removesuffix(".message").removesuffix(".hint") for key in catalogue("store", "en")}
    assert codes == said
