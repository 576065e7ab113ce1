import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shipped import shipped_bank
from torchstone.app.search.snippet import SNIPPET_LENGTH, cut_snippet, plain_text, word_pattern
from torchstone.core.i18n import LANGS, Lang

pytestmark = pytest.mark.pure

STATEMENT = """# Softmax

Write **it** yourself, see [the rule](rule.md) and *more*.

![a picture](figure.svg)

## Rules

```python
hidden = "in a cell"
```

- `x`: of shape `(*, n)`, with $\\sqrt{\\sigma^2}$ inside
- the second
  line goes on

| left | right |
|---|---|
| one | two |

$$y = x$$
"""


def test_plain_text_has_the_sentences_and_none_of_the_marks() -> None:
    assert plain_text(STATEMENT).split("\n") == [
        "Write it yourself, see the rule and more.",
        "x: of shape (*, n), with sqrt(sigma^2) inside",
        "the second line goes on",
        "left right",
        "one two",
    ]


@pytest.mark.parametrize("lang", LANGS)
def test_no_mark_is_left_in_a_statement_of_the_bank(lang: Lang) -> None:
    for problem in shipped_bank():
        text = plain_text(problem.statement.said_in(lang))
        assert not any(mark in text for mark in ("`", "$", "**", "```", "](", "\\", "|-"))
        assert len(text) > 0.3 * len(problem.statement.said_in(lang))


@pytest.mark.parametrize(
    ("spoken", "wanted"),
    [
        (["view"], "The result is a view of x. It shares the storage."),
        (["VIEW"], "The result is a view of x. It shares the storage."),
        (["storage"], "It shares the storage."),
        (["absent"], "One line. The result is a view of x. It shares the storage."),
        ([], "One line. The result is a view of x. It shares the storage."),
        # "tor" stands inside "storage" only.
        (["tor"], "One line. The result is a view of x. It shares the storage."),
    ],
)
def test_a_snippet_begins_with_the_sentence_of_the_word(spoken: list[str], wanted: str) -> None:
    text = "One line. The result is a view of x. It shares the storage."
    assert cut_snippet(text, word_pattern(spoken), "en").strip() == wanted


def test_a_chinese_word_is_found_inside_a_run() -> None:
    text = "第一句。新维的步长为零。" + "余" * 200
    shown = cut_snippet(text, word_pattern(["步长"]), "zh")
    assert shown.startswith("新维的步长为零。余")
    assert shown.endswith("余…")
    assert len(shown) == SNIPPET_LENGTH["zh"]


def test_a_word_deep_in_a_sentence_is_shown_with_what_stands_before_it() -> None:
    text = "word " * 200 + "stride " + "word " * 200
    shown = cut_snippet(text, word_pattern(["stride"]), "en")
    assert shown.startswith("…word word ")
    assert " stride " in shown
    assert shown.endswith("…")
    assert len(shown) <= SNIPPET_LENGTH["en"]


@given(
    st.text(max_size=400),
    st.lists(st.text(min_size=1, max_size=5), max_size=3),
    st.sampled_from(LANGS),
)
def test_a_snippet_is_one_line_of_bounded_length(text: str, spoken: list[str], lang: Lang) -> None:
    shown = cut_snippet(text, word_pattern(spoken), lang)
    assert len(shown) <= SNIPPET_LENGTH[lang]
    assert "\n" not in shown


@given(st.text(alphabet="ab*`$|#-[]()\\{}\n !", max_size=200))
def test_any_markdown_can_be_made_plain(markdown: str) -> None:
    for line in plain_text(markdown).split("\n"):
        assert line == " ".join(line.split())


def test_how_a_name_is_set_is_not_read() -> None:
    assert plain_text(r"It is $\operatorname{softmax}(x)$.") == "It is softmax(x)."
