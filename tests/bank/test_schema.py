import msgspec
import pytest

from torchstone.bank import Limits, Words

pytestmark = pytest.mark.pure


def test_words_are_said_in_the_asked_language() -> None:
    words = Words(en="one", zh="一")
    assert (words.said_in("en"), words.said_in("zh")) == ("one", "一")


@pytest.mark.parametrize(("en", "zh"), [("", "一"), ("one", ""), ("one", "one"), ("one", "，。")])
def test_words_lacking_a_language_are_refused(en: str, zh: str) -> None:
    with pytest.raises(ValueError, match=r"must (both have text|be Chinese)"):
        Words(en=en, zh=zh)


def test_a_limit_survives_the_wire() -> None:
    limits = Limits(wall_s=2.5, processes=3)
    assert msgspec.json.decode(msgspec.json.encode(limits), type=Limits) == limits


def test_a_schema_cannot_be_changed_after_loading() -> None:
    with pytest.raises(AttributeError):
        Limits().wall_s = 100.0  # type: ignore[misc]
