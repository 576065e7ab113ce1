"""Both languages say the same about interviews."""

import re

import pytest

from torchstone.core.i18n import catalogue

pytestmark = pytest.mark.pure

PLACEHOLDER = re.compile(r"\{(\w+)\}")


def test_both_languages_have_the_same_sentences() -> None:
    english, chinese = catalogue("interview", "en"), catalogue("interview", "zh")
    assert english.keys() == chinese.keys()
    for key, sentence in english.items():
        assert set(PLACEHOLDER.findall(sentence)) == set(PLACEHOLDER.findall(chinese[key])), key
