import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.judge.outcomes import printable

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("text", ["甲　乙", "a\u00a0b", "one\ttwo\nthree", "x² ≤ ½ 🙂", ""])
def test_what_a_person_writes_stays(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [("\x1b[31mred\x1b[0m", "[31mred[0m"), ("a\rb\x00c\x7f", "abc"), ("a\u202eb\u2066c", "abc")],
)
def test_what_moves_a_cursor_or_turns_a_line_goes(text: str, left: str) -> None:
    assert printable(text) == left


@given(st.text())
def test_nothing_that_controls_is_left(text: str) -> None:
    left = {unicodedata.category(char) for char in printable(text) if char not in "\n\t"}
    assert not left & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
