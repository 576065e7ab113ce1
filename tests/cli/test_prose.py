import doctest

import pytest

from tests.shipped import shipped_bank
from torchstone.cli import prose
from torchstone.cli.prose import prepare

pytestmark = pytest.mark.pure


def test_a_formula_becomes_text_and_code_keeps_its_dollars() -> None:
    assert prepare(r"$a\,b_i$") == "a bᵢ"
    assert prepare(r"$a_c * b$") == r"a\_c \* b"
    code = "```python\nx = '$a$ $b$'\n```"
    assert prepare(code) == code
    assert prepare("![A gate.](gate.svg)") == "*A gate.*"


def test_a_formula_comes_through_markdown_whole() -> None:
    from markdown_it import MarkdownIt

    def text_of(markdown: str) -> str:
        tokens = MarkdownIt().parse(prepare(markdown))
        children = (child for token in tokens for child in token.children or ())
        return "".join(child.content for child in children)

    formula = r"$$\frac{\delta_{ij}\,e_c\,s}{s^2} * y_c * (1 - y_j)$$"
    assert text_of(f"see {formula} there") == "see (δᵢⱼ e_c s)/s² * y_c * (1 − yⱼ) there"


def test_every_text_of_the_bank_can_be_prepared() -> None:
    for problem in shipped_bank():
        for words in (problem.statement.en, problem.statement.zh, problem.editorial.zh):
            assert "![" not in prepare(words)


def test_the_example_is_true() -> None:
    assert doctest.testmod(prose).failed == 0
