import doctest
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from tests.shipped import shipped_bank
from tests.web import hostile
from tests.web.scan import elements_of, find_faults, text_of
from torchstone.bank import Problem
from torchstone.core.i18n import LANGS, Lang
from torchstone.web import prose
from torchstone.web.figures import read_figures
from torchstone.web.prose import render, render_code, render_inline

pytestmark = pytest.mark.pure

SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect id="r" width="9"/></svg>'
FIGURES = {"figure_a.svg": SQUARE, "figure_broken.svg": "<svg", "other.svg": SQUARE}
MARKS = [*"*_`$[)!<>&\\|\n", "```\n", "$$", "](", "# "]


def texts() -> list[object]:
    """List every statement and editorial of the bank in both languages."""
    found: list[object] = []
    for problem in shipped_bank():
        for kind, words in (("statement", problem.statement), ("editorial", problem.editorial)):
            for lang in LANGS:
                name = f"{problem.path.name}/{kind}.{lang}"
                found.append(pytest.param(problem, words.said_in(lang), lang, id=name))
    return found


def formulas_of(tokens: list[Token]) -> list[str]:
    children = [token for token in tokens for token in [token, *(token.children or [])]]
    return [token.content for token in children if token.type.startswith("math_")]


def test_two_texts_on_a_page_share_no_id() -> None:
    markdown = "## A\n\n![a](figure_a.svg)\n\n![a](figure_a.svg)"
    ids = [
        re.findall(' id="([^"]*)"', render(markdown, lang="en", figures=FIGURES, prefix=prefix))
        for prefix in ("s", "e")
    ]
    assert ids == [["s-a", "s_1_r", "s_2_r"], ["e-a", "e_1_r", "e_2_r"]]
    with pytest.raises(ValueError, match="is not an id"):
        render("", lang="en", prefix='"')


@pytest.mark.gate("01_*", "2?_*/statement*", "4[0-9]_*/statement*")
@pytest.mark.parametrize(("problem", "markdown", "lang"), texts())
def test_every_text_of_the_bank_is_shown_whole(problem: Problem, markdown: str, lang: Lang) -> None:
    html = render(markdown, lang=lang, figures=read_figures(problem.path))
    assert find_faults(html) == []
    parser = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin, double_inline=True)
    tokens = parser.parse(markdown)
    tags = [tag for tag, _ in elements_of(html)]
    assert tags.count("math") == len(formulas_of(tokens))
    assert tags.count("merror") == 0
    # A narrow page splits a row of formulas at its wide spaces.
    assert "<merror>" not in render(markdown, lang=lang, is_narrow=True)
    assert tags.count("svg") == len(re.findall(r"!\[", markdown))
    assert tags.count("pre") == sum(token.type == "fence" for token in tokens)
    assert tags.count("h2") == len(re.findall("^## ", markdown, re.MULTILINE))
    assert tags.count("h1") == 0
    outside_code = re.sub("<code>.*?</code>", "", html, flags=re.DOTALL)
    assert re.findall(r"[$\\]|\*\*", text_of(outside_code)) == []


def test_every_sentence_of_the_bank_is_shown_whole() -> None:
    for problem in shipped_bank():
        said = [hint.words.said_in for hint in problem.hints]
        said += [variant.words.said_in for variant in problem.wrong if variant.words]
        sentences = [say(lang) for say in said for lang in LANGS]
        assert len(sentences) > 8
        for sentence in sentences:
            html = render_inline(sentence)
            assert find_faults(html) == []
            assert "merror" not in html
            if "$" not in sentence:
                shown, said_words = (re.sub(r"[*`\s]", "", x) for x in (text_of(html), sentence))
                assert shown == said_words


def test_source_code_is_a_block_of_its_own() -> None:
    assert render_code("</code><script>") == (
        '<pre class="code-block"><code>&lt;/code&gt;&lt;script&gt;</code></pre>'
    )


def test_a_text_that_is_too_long_is_shown_as_it_is() -> None:
    markdown = "**a** <b>\n" * 10_000
    assert render(markdown, lang="en").count("**a** &lt;b&gt;\n") == 10_000
    assert render_inline(markdown).count("**a** &lt;b&gt;\n") == 10_000


@pytest.mark.parametrize("number", range(len(hostile.MARKDOWN)))
def test_nothing_that_runs_comes_out_of_hostile_markdown(number: int) -> None:
    markdown = hostile.MARKDOWN[number]
    figures = {"figure_evil.svg": hostile.MENDED_DRAWINGS[number % len(hostile.MENDED_DRAWINGS)]}
    html = render(markdown, lang="en", figures=figures, keep_title=True)
    assert find_faults(html) == []
    assert find_faults(render_inline(markdown)) == []


@pytest.mark.parametrize("lang", LANGS)
@given(
    st.lists(st.sampled_from([*MARKS, *hostile.MARKDOWN[:80]]) | st.text(max_size=8), max_size=12)
)
def test_whatever_comes_in_nothing_but_the_list_comes_out(lang: Lang, parts: list[str]) -> None:
    text = "".join(parts)
    html = render(text, lang=lang, figures=FIGURES)
    assert find_faults(html) == []
    assert find_faults(render_inline(text)) == []


def test_the_same_text_becomes_the_same_html_again() -> None:
    for markdown in hostile.MARKDOWN:
        first = render(markdown, lang="en", figures=FIGURES)
        prose._render.cache_clear()
        assert render(markdown, lang="en", figures=FIGURES) == first


@pytest.mark.parametrize(
    ("html", "cleaned"),
    [
        ('<a href="javascript:pwn()">x</a>', "<a>x</a>"),
        ('<a href="data:text/html,x">x</a>', "<a>x</a>"),
        ('<p style="x:y" onclick="pwn()" class="stone" id="main">x</p>', "<p>x</p>"),
        ('<pre class="code-block stone">x</pre>', '<pre class="code-block">x</pre>'),
        ("<script>pwn()</script><style>x</style><iframe></iframe>x", "x"),
        ("<svg><script>pwn()</script></svg>", "<svg></svg>"),
    ],
)
def test_the_last_step_holds_by_itself(html: str, cleaned: str) -> None:
    assert prose._clean(html) == cleaned


def test_the_lists_hold_nothing_that_runs_or_fetches() -> None:
    names = {name.lower() for names in prose.ATTRIBUTES.values() for name in names}
    assert {name for name in names if re.match("on|style|src|xlink|xmlns|action", name)} == set()
    assert prose.ATTRIBUTES["a"] == {"href", "rel"}
    assert [tag for tag, names in prose.ATTRIBUTES.items() if "href" in names] == ["a", "use"]
    never = "script style foreignobject image iframe object embed animate set annotation-xml mglyph"
    assert {tag.lower() for tag in prose.ATTRIBUTES} & set(never.split()) == set()


def test_the_examples_are_true() -> None:
    result = doctest.testmod(prose)
    assert (result.failed, result.attempted) == (0, 2)


def test_figures_are_read_from_the_folder_of_a_problem(tmp_path: Path) -> None:
    (tmp_path / "figure_a.svg").write_text(SQUARE, encoding="utf-8")
    (tmp_path / "figure_dir.svg").mkdir()
    (tmp_path / "figure_huge.svg").write_bytes(b"x" * 300_000)
    (tmp_path / "figure_binary.svg").write_bytes(b"\xff\xfe")
    (tmp_path / "photo.svg").write_text(SQUARE, encoding="utf-8")
    assert read_figures(tmp_path) == {"figure_a.svg": SQUARE, "figure_binary.svg": "\ufffd\ufffd"}
