import re

import pytest

from torchstone.core.i18n import Lang
from torchstone.web.prose import render, render_inline

pytestmark = pytest.mark.pure

SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect id="r" width="9"/></svg>'
FIGURES = {"figure_a.svg": SQUARE, "figure_broken.svg": "<svg", "other.svg": SQUARE}


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("Two **bold** *words*.", "<p>Two <strong>bold</strong> <em>words</em>.</p>"),
        ("`a < b`", "<p><code>a &lt; b</code></p>"),
        ("<b>&amp;</b>", "<p>&lt;b&gt;&amp;&lt;/b&gt;</p>"),
        ("```python\nx = 1\n```", '<pre class="code-block"><code>x = <span class="n">1</span>\n'),
        ("```\n<x>\n```", '<pre class="code-block"><code>&lt;x&gt;\n</code></pre>'),
        ("```nonsense {1}\ndef\n```", '<pre class="code-block"><code>def\n</code></pre>'),
        ("    def", '<pre class="code-block"><code>def\n</code></pre>'),
        ("$x$", "<p><math><mi>x</mi></math></p>"),
        ("$$\nx\n$$", '<div class="scroll"><math display="block"><mi>x</mi></math></div>'),
        ("so $$x$$", '<p>so <math display="block"><mi>x</mi></math></p>'),
        ("It costs $5 and $6.", "<p>It costs $5 and $6.</p>"),
        (r"\$x\$ and `$x$`", "<p>$x$ and <code>$x$</code></p>"),
        ("[a](b.html#c)", '<p><a href="b.html#c">a</a></p>'),
        (
            "[a](HTTPS://b.example/c?d=e)",
            '<p><a href="HTTPS://b.example/c?d=e" rel="noopener noreferrer">a</a></p>',
        ),
        ("[a](//b.example)", '<p><a href="//b.example" rel="noopener noreferrer">a</a></p>'),
        ('[a](b "title")', '<p><a href="b">a</a></p>'),
        ("[*a*](mailto:b@c.example) d", "<p><em>a</em> d</p>"),
        ("[a](x:y) [b](c)", '<p>a <a href="c">b</a></p>'),
        ("3. a\n4. b", '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>'),
        ("a\n\n---\n\n> b", "<p>a</p>\n<hr>\n<blockquote>\n<p>b</p>\n</blockquote>"),
        ("a  \nb", "<p>a<br>\nb</p>"),
        (
            "|a|b|c|\n|-|:-:|-:|\n|d|e|f|",
            '<div class="scroll"><table class="tab">\n<thead>\n<tr>\n<th>a</th>\n'
            '<th class="center">b</th>\n<th class="r">c</th>',
        ),
        ("", ""),
    ],
)
def test_markdown_becomes_the_html_of_the_page(markdown: str, html: str) -> None:
    assert render(markdown, lang="en").startswith(html)


def test_the_title_is_left_to_the_page() -> None:
    markdown = "# Title\n\nWords.\n\n## Part\n\n# Second title\n\n### Deep"
    assert re.findall("<(h.)", render(markdown, lang="en")) == ["h2", "h2", "h3"]
    assert "Title" not in render(markdown, lang="en")
    kept = render(markdown, lang="en", keep_title=True)
    assert re.findall("<(h.)", kept) == ["h1", "h2", "h2", "h3"]
    assert kept.startswith("<h1>Title</h1>")


@pytest.mark.parametrize(
    ("lang", "names"),
    [
        (
            "en",
            ["s-how-pytorch-does-it", "s-o-n-2-cafe", "s-3", "s-traps", "s-traps-2", "s-traps-2-2"],
        ),
        ("zh", ["s-1", "s-2", "s-3", "s-4", "s-5", "s-6"]),
    ],
)
def test_headings_have_an_id_each(lang: Lang, names: list[str]) -> None:
    headings = ("How `PyTorch` does it?", "$O(n^2)$ café", "陷阱", "Traps", "Traps", "Traps 2")
    markdown = "# Title\n\n" + "\n\n".join(f"## {heading}" for heading in headings)
    assert re.findall('id="([^"]*)"', render(markdown, lang=lang)) == names


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("模型\n的损失", "模型的损失"),
        ("模型：\n`x`", "模型：<code>x</code>"),
        ("`x`\n，模型", "<code>x</code>，模型"),
        ("**模型**\n*的*损失", "<strong>模型</strong><em>的</em>损失"),
        ("用 float32\n计算", "用 float32\n计算"),
        ("a\nb", "a\nb"),
    ],
)
def test_a_line_break_between_chinese_characters_is_no_space(text: str, shown: str) -> None:
    assert render(text, lang="zh") == f"<p>{shown}</p>\n"
    assert "\n" in render(text, lang="en").removesuffix("\n")


def test_a_figure_stands_where_a_paragraph_is_an_image() -> None:
    html = render("![A `square`.](figure_a.svg)", lang="en", figures=FIGURES)
    assert html.startswith('<figure class="fig"><svg viewBox="0 0 9 9" role="img" aria-label=')
    assert html.endswith("<figcaption>A <code>square</code>.</figcaption></figure>\n")
    assert render("![](figure_a.svg)", lang="en", figures=FIGURES).endswith("</svg></figure>\n")
    in_a_list = render("- ![A.](figure_a.svg)", lang="en", figures=FIGURES)
    assert in_a_list.startswith('<ul>\n<li>\n<figure class="fig"><svg')


@pytest.mark.parametrize(
    "address",
    [
        "other.svg",
        "figure_b.svg",
        "./figure_a.svg",
        "figure_a.svg?x",
        "figure_broken.svg",
        "x:y",
        "",
    ],
)
def test_any_other_image_leaves_its_description(address: str) -> None:
    assert render(f"![A *square*]({address})", lang="en", figures=FIGURES) == (
        "<p>A <em>square</em></p>\n"
    )
    inline = render("See ![A square](figure_a.svg) here.", lang="en", figures=FIGURES)
    assert inline == "<p>See A square here.</p>\n"


@pytest.mark.parametrize(
    ("sentence", "html"),
    [
        ("Tie in __init__ and x_t * y * z.", "Tie in __init__ and x_t * y * z."),
        ("the *output*, **输出**", "the <em>output</em>, <strong>输出</strong>"),
        ("`(T, B)` is $(T, B)$", "<code>(T, B)</code> is <math>"),
        ("# no title\n- no list", "# no title<br>\n- no list"),
        ("[no](link) ![no](image) <b>&amp;", "[no](link) ![no](image) &lt;b&gt;&amp;amp;"),
        ("[t[:, None]][0]", "[t[:, None]][0]"),
        (" \n", ""),
    ],
)
def test_a_sentence_knows_code_formulas_and_stars(sentence: str, html: str) -> None:
    assert render_inline(sentence).startswith(html)
