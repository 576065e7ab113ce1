"""A text in both languages, and parts that ignore what another version stored."""

import msgspec
import pytest

from torchstone.judge import messages
from torchstone.judge.part import Part, Words

pytestmark = pytest.mark.pure


def test_a_text_is_said_in_one_language_and_other_fields_are_ignored() -> None:
    words = msgspec.convert({"en": "barrier", "zh": "屏障", "fr": "barrière"}, Words)
    assert (words.said_in("en"), words.said_in("zh")) == ("barrier", "屏障")
    assert (messages.Words, messages.Part) == (Words, Part)
