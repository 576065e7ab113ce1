import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.bank.spelling import Speller

pytestmark = pytest.mark.pure

NAMES = ("softmax", "Softmax from scratch", "cross entropy", "layer_norm", "步长", "交叉熵", "mm")
WORDS = st.text(st.sampled_from("softmax entry叉熵_-42 "), max_size=12)


def nearest(text: str) -> list[str]:
    return [near.name for near in Speller((*NAMES, "grid_sample", "42op")).nearest(text)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("softamx", "softmax"),  # swapped
        ("sotmax", "softmax"),  # missing
        ("sofftmax", "softmax"),  # added
        ("sogtmax", "softmax"),  # replaced
        ("osftmax", "softmax"),  # swapped at the beginning
        ("oftmax", "softmax"),
        ("entropi", "entropy"),  # a word of a name
        ("Cross-Entorpy", "cross entropy"),
        ("layernrom", "layer_norm"),
        ("交差熵", "交叉熵"),
        ("步常", "步长"),
        ("gird sampel", "grid_sample"),
    ],
)
def test_the_nearest_name_comes_first(text: str, name: str) -> None:
    assert nearest(text)[0] == name


@pytest.mark.parametrize(
    "text", ["", "  ", "m", "mn", "GEMM", "foo", "43op", "softmax", "SOFT MAX", "cat", "步", "打包"]
)
def test_nothing_else_is_near(text: str) -> None:
    assert nearest(text) == []


def test_two_chinese_characters_are_not_sure() -> None:
    speller = Speller(NAMES)
    (pair,), (triple,) = speller.nearest("步常"), speller.nearest("交差熵")
    assert not pair.is_sure
    assert triple.is_sure


def test_there_are_at_most_as_many_as_asked_for_and_the_order_decides() -> None:
    speller = Speller(f"softma{letter}" for letter in "bcdefghij")
    assert [near.name for near in speller.nearest("softmax", limit=2)] == ["softmab", "softmac"]


@given(WORDS)
def test_any_text_has_an_answer_of_names_and_their_words(text: str) -> None:
    words = {word for name in NAMES for word in (name, *re.split(r"[ _]", name))}
    assert {near.name for near in Speller(NAMES).nearest(text)} <= words


def test_thousands_of_names_are_compared_in_time() -> None:
    speller = Speller(f"softmax{letter}{number:x}" for letter in "abcdef" for number in range(999))
    started = time.process_time()
    speller.nearest("softmaxes of rows")
    assert time.process_time() - started < 1
