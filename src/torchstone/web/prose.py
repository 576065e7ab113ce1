"""Markdown of the bank as sanitized HTML.

The bank's own texts are trusted, those of an imported pack are not, and both take the same way:

1. markdown-it-py reads CommonMark with tables and formulas (``markdown``); HTML stays text.
2. Formulas, figures and code become MathML, SVG and spans in modules that build them from lists of
   what is allowed (``mathematics``, ``figures``, ``highlight``).
3. nh3 parses the whole as a browser would and writes it again with what the lists below hold. It
   carries MathML and SVG faithfully (``viewBox`` stays ``viewBox``), so that nothing is put into
   the page behind its back.

No attribute ``style`` comes out, no script, no handler and no address but http, https and relative
ones, so that the page can forbid all of them by its content security policy.
"""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from html import escape
from types import MappingProxyType

import nh3

from torchstone.core.i18n import Lang
from torchstone.web import figures as drawings
from torchstone.web import highlight, mathematics
from torchstone.web.markdown import write_code, write_sentence, write_text

# A longer text is no statement; it is shown as it is, since a parser takes seconds for it.
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
    {**_HTML, **mathematics.ATTRIBUTES, **drawings.ATTRIBUTES}
)
CLASSES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "div": frozenset({"scroll"}),
        "figure": frozenset({"fig"}),
        "mrow": frozenset({"overline", "underline"}),
        "mtd": frozenset({"end", "start"}),
        "pre": frozenset({"code-block"}),
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
) -> str:
    """Turn a text of the bank into HTML.

    The result depends on nothing but the arguments; the last few hundred are remembered.

    Args:
        markdown: The text.
        lang: Its language: English headings are named by their words, Chinese ones by their number,
            and a line break between two Chinese characters is no space.
        figures: The text of each ``figure_*.svg`` of the problem, by file name. An image with
            another name, or inside a line of text, leaves its description only.
        prefix: What every id begins with; two texts on one page need two.
        keep_title: Whether the first ``<h1>`` is kept. A page has one, and shows it itself; other
            headings of that level become ``<h2>``.
    """
    if not _PREFIX.fullmatch(prefix):
        raise ValueError(f"render: the prefix {prefix!r} is not an id; use a-z, 0-9 and hyphens.")
    named = sorted(set(_FIGURE.findall(markdown)) & figures.keys())
    shown = tuple((name, figures[name]) for name in named)
    return _render(markdown, lang, shown, prefix, keep_title)


@lru_cache(maxsize=512)
def render_inline(text: str) -> str:
    """Turn a sentence of the bank into HTML without blocks: a hint, a misconception.

    It knows code, formulas, emphasis by stars and line breaks. An underscore is part of a name,
    since hints speak of ``__init__``.

    >>> render_inline("Call `exp` in __init__.")
    'Call <code>exp</code> in __init__.'
    """
    if len(text) > MAX_CHARACTERS:
        return _clean(escape(text))
    return _clean(write_sentence(_valid(text).strip()))


@lru_cache(maxsize=256)
def render_code(source: str, *, language: str = "python") -> str:
    """Turn source code into a coloured block of HTML.

    >>> render_code("a < b", language="text")
    '<pre class="code-block"><code>a &lt; b</code></pre>'
    """
    return _clean(write_code(source, language)).rstrip("\n")


@lru_cache(maxsize=256)
def _render(
    markdown: str, lang: Lang, figures: tuple[tuple[str, str], ...], prefix: str, keep_title: bool
) -> str:
    if len(markdown) > MAX_CHARACTERS:
        return _clean(write_code(markdown, "text"))
    return _clean(
        write_text(
            _valid(markdown), lang=lang, figures=dict(figures), prefix=prefix, keep_title=keep_title
        )
    )


def _valid(text: str) -> str:
    # Half a character, as a broken file may hold, cannot be written in UTF-8.
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
