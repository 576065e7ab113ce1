import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.cli.lines import wrap
from torchstone.core.i18n import display_width

pytestmark = pytest.mark.pure


def test_english_breaks_between_words() -> None:
    assert wrap("one two three", 7) == ["one two", "three"]


def test_chinese_breaks_anywhere_but_before_a_closing_mark() -> None:
    assert wrap("试金石，真", 6) == ["试金", "石，真"]
    assert wrap("调用 softmax 之后", 9) == ["调用", "softmax", "之后"]


def test_a_line_break_of_the_text_stays() -> None:
    assert wrap("a\n\nb", 9) == ["a", "", "b"]


@given(st.text(alphabet="ab 试金石，。x`", max_size=60), st.integers(4, 30))
def test_nothing_is_lost_and_lines_fit_unless_a_piece_is_wider(words: str, columns: int) -> None:
    lines = wrap(words, columns)
    assert "".join(lines).replace(" ", "") == words.replace(" ", "")
    for line in lines:
        assert display_width(line) <= columns or " " not in line.strip()
