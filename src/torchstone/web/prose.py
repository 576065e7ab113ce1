"""Markdown of the bank as sanitized HTML.

The bank's own texts are trusted, those of an imported pack are not. Both are processed alike:

1. markdown-it-py parses CommonMark with tables and formulas (``markdown``); HTML stays text.
2. Formulas, figures and code become MathML, SVG and spans in modules with lists of allowed parts
   (``mathematics``, ``figures``, ``highlight``).
3. nh3 parses the result as a browser would, and writes it again with the allowed parts below. It
   preserves MathML and SVG (``viewBox`` stays ``viewBox``), so that no step after it adds HTML to
   the page.

The result has no attribute ``style``, no script, no event handler and no URL except http, https and
relative ones, so that the content security policy of the page can forbid all of them.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from html import escape
from types import MappingProxyType

import nh3

from torchstone.core.i18n import Lang
from torchstone.web import figures as drawings
from torchstone.web import highlight, mathml
from torchstone.web.markdown import write_code, write_sentence, write_text

# A longer text is not a statement; it is shown as plain text, because a parser would take seconds.
MAX_CHARACTERS = 50_000

_FIGURE = re.compile(r"figure_[a-z0-9_]+\.svg")
_PREFIX = re.compile(r"[a-z][a-z0-9-]*")

_HTML: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "a": frozenset({"href", "rel"}),
        "ol": frozenset({"start"}),
        **{f"h{level}": frozenset({"id"}) for level in range(1, 7)},
        **dict.fromkeys(
            "blockquote br code div em figcaption figure hr li p pre span strong table tbody td th "
            "thead tr ul".split(),
            frozenset(),
        ),
    }
)
ATTRIBUTES: Mapping[str, frozenset[str]] = MappingProxyType(
    {**_HTML, **mathml.ATTRIBUTES, **drawings.ATTRIBUTES}
)
CLASSES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "div": frozenset({"scroll"}),
        "figure": frozenset({"fig"}),
        "mrow": frozenset({"overline", "underline"}),
        "mtd": frozenset({"end", "start"}),
        "pre": frozenset({"code-block", "wrap"}),
        "span": highlight.CLASSES,
        "table": frozenset({"tab"}),
        "td": frozenset({"center", "r"}),
        "th": frozenset({"center", "r"}),
    }
)


def render(
    markdown: str,
    *,
    lang: Lang,
    figures: Mapping[str, str] = MappingProxyType({}),
    prefix: str = "s",
    keep_title: bool = False,
    is_narrow: bool = False,
    link: Callable[[str], str | None] | None = None,
) -> str:
    """Convert a text of the bank to HTML.

    The result depends only on the arguments; a cache holds the last few hundred.

    Args:
        markdown: The text.
        lang: Its language: ids of English headings come from their words, of Chinese ones from
            their number. A line break between two Chinese characters is not a space.
        figures: The text of each ``figure_*.svg`` of the problem, by file name. An image with
            another name, or inside a line of text, becomes its description.
        prefix: The prefix of every id; two texts on one page need different ones.
        keep_title: Whether to keep the first ``<h1>``. A page shows its own; other headings of that
            level become ``<h2>``.
        is_narrow: Whether to break long lines of code, for a column beside the editor.
        link: Function that returns what a link leads to on the page; None keeps its words alone.
            Pass the same function for the same text, since the cache compares it.
    """
    if not _PREFIX.fullmatch(prefix):
        raise ValueError(f"render: the prefix {prefix!r} is not an id; use a-z, 0-9 and hyphens.")
    named = sorted(set(_FIGURE.findall(markdown)) & figures.keys())
    shown = tuple((name, figures[name]) for name in named)
    return _render(markdown, lang, shown, prefix, keep_title, is_narrow, link)


@lru_cache(maxsize=512)
def render_inline(text: str) -> str:
    """Convert a sentence of the bank, a hint or a misconception, to HTML without blocks.

    It supports code, formulas, emphasis by stars and line breaks. An underscore is part of a name,
    because hints mention ``__init__``.

    >>> render_inline("Call `exp` in __init__.")
    'Call <code>exp</code> in __init__.'
    """
    if len(text) > MAX_CHARACTERS:
        return _clean(escape(text))
    return _clean(write_sentence(_valid(text).strip()))


@lru_cache(maxsize=256)
def render_code(source: str, *, language: str = "python") -> str:
    """Convert source code to a highlighted block of HTML.

    >>> render_code("a < b", language="text")
    '<pre class="code-block"><code>a &lt; b</code></pre>'
    """
    return _clean(write_code(source, language)).rstrip("\n")


@lru_cache(maxsize=256)
def _render(
    markdown: str,
    lang: Lang,
    figures: tuple[tuple[str, str], ...],
    prefix: str,
    keep_title: bool,
    is_narrow: bool,
    link: Callable[[str], str | None] | None,
) -> str:
    if len(markdown) > MAX_CHARACTERS:
        return _clean(write_code(markdown, "text"))
    return _clean(
        write_text(
            _valid(markdown),
            lang=lang,
            figures=dict(figures),
            prefix=prefix,
            keep_title=keep_title,
            is_narrow=is_narrow,
            link=link,
        )
    )


def _valid(text: str) -> str:
    # UTF-8 cannot encode the lone surrogates that a broken file can contain.
    return text.encode("utf-8", "replace").decode("utf-8")


def _clean(html: str) -> str:
    return _cleaner().clean(_valid(html))


@cache
def _cleaner() -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=set(ATTRIBUTES),
        attributes={tag: set(names) - {"class"} for tag, names in ATTRIBUTES.items()},
        allowed_classes={tag: set(names) for tag, names in CLASSES.items()},
        url_schemes={"http", "https"},
        link_rel=None,
    )
