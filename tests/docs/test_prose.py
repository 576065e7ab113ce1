"""The English pages use plain words: eight archaic ones do not come back outside of code."""

import re
from pathlib import Path

import pytest

from torchstone.bank.markdown import outline

pytestmark = pytest.mark.pure

ROOT = Path(__file__).resolve().parents[2]
ARCHAIC = ("wanted", "told", "stands", "besides", "whoever", "nobody", "anew", "of which")
PLAIN_PAGES = (
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY")),
    *sorted((ROOT / "docs" / "handbook" / "en").glob("*.md")),
    *sorted((ROOT / "docs" / "decisions").glob("*.md")),
    *sorted((ROOT / "src").rglob("README.md")),
)

# Within a paragraph: a lone backtick does not hide the next one.
_INLINE_CODE = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)\1(?!`)", re.DOTALL)
# A line may break between two words.
_WORDS = "|".join(ARCHAIC).replace(" ", r"\s+")
_ARCHAIC = re.compile(rf"\b(?:{_WORDS})\b", re.IGNORECASE)


def archaic_words(markdown: str) -> list[str]:
    """List the archaic words of a page, without its blocks and spans of code."""
    return _ARCHAIC.findall(_INLINE_CODE.sub("`code`", outline(markdown).prose))


@pytest.mark.parametrize("page", PLAIN_PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_has_no_archaic_word(page: Path) -> None:
    assert archaic_words(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("word", ARCHAIC)
@pytest.mark.parametrize("form", ["{}", "# {}", "| {} |", "- {}", "a line\n{}", "({}).", "*{}*"])
def test_an_archaic_word_is_found_wherever_prose_is(word: str, form: str) -> None:
    assert archaic_words(form.format(word)) == [word]
    assert archaic_words(form.format(word.capitalize())) == [word.capitalize()]


def test_an_archaic_expression_is_found_across_a_line_break() -> None:
    assert archaic_words("40 GiB, of\nwhich little is used") == ["of\nwhich"]


@pytest.mark.parametrize(
    "code", ["`Holds(predicate, wanted)`", "``a ` told``", "```python\nanew = 1\n```", "`of which`"]
)
def test_code_may_have_any_name(code: str) -> None:
    assert archaic_words(f"before\n\n{code}\n\nafter") == []


def test_a_lone_backtick_hides_no_other_paragraph() -> None:
    assert archaic_words("a lone ` here\n\nit is told\n\nand ` there") == ["told"]


def test_a_longer_word_is_another_word() -> None:
    assert archaic_words("unwanted, withstands, toldness; to want, to stand, beside") == []


def test_the_pages_are_there() -> None:
    names = {page.relative_to(ROOT).as_posix() for page in PLAIN_PAGES}
    assert {"README.md", "CONTRIBUTING.md", "docs/handbook/en/judge.md"} <= names
