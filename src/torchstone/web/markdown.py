"""Markdown renderer of the bank; ``prose`` then sanitizes its HTML.

Between parser and renderer, the rules of the page change the tokens: one title, an id for each
heading, valid links, figures in place of images.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.emphasis import tokenize as read_emphasis
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from mdit_py_plugins.dollarmath import dollarmath_plugin

from torchstone.core.i18n import Lang
from torchstone.web.figures import FigureError, clean_figure
from torchstone.web.highlight import highlight
from torchstone.web.line_breaks import break_lines, split_formula
from torchstone.web.mathml import show_formula

# The scheme of a URL precedes the first colon, unless a slash comes first. Browsers skip some
# characters and treat a backslash as a slash; no valid link has either.
_RELATIVE = re.compile(r"(?![^/?#]*:)[^\s\\\x00-\x20\x7f]*")
_ABSOLUTE = re.compile(r"https?://[^\s\\\x00-\x20\x7f]+", re.IGNORECASE)
_EXTERNAL = re.compile(r"(?:[a-z]+:)?//", re.IGNORECASE)
_SIDES = {"text-align:right": "r", "text-align:center": "center"}


def write_text(
    markdown: str,
    *,
    lang: Lang,
    figures: Mapping[str, str],
    prefix: str,
    keep_title: bool,
    is_narrow: bool,
    link: Callable[[str], str | None] | None = None,
) -> str:
    """Render a text with headings, paragraphs, lists, tables, code and figures.

    Args:
        markdown: The text.
        lang: Its language.
        figures: The available figures, by file name.
        prefix: The prefix of every id.
        keep_title: Whether the first heading of level 1 is rendered.
        is_narrow: Whether long lines of code are broken, and rows of formulas split.
        link: Function that returns what a link leads to on the page; None keeps its words alone.
    """
    parser = _text_parser()
    env = {"lang": lang, "is_narrow": is_narrow}
    tokens = _with_one_title(parser.parse(markdown, env), keep_title=keep_title)
    _name_headings(tokens, lang=lang, prefix=prefix)
    for token in tokens:
        token.children = _without_bad_links(token.children, link)
        _align(token)
    tokens = _with_figures(tokens, figures, prefix=prefix)
    return str(parser.renderer.render(tokens, parser.options, env))


def write_sentence(text: str) -> str:
    """Render a text of one paragraph: code, formulas, emphasis by stars, line breaks."""
    return str(_sentence_parser().renderInline(text))


def write_code(source: str, language: str) -> str:
    """Render source code as a block."""
    return f'<pre class="code-block"><code>{highlight(source, language)}</code></pre>\n'


@cache
def _text_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    return _extend(parser)


@cache
def _sentence_parser() -> MarkdownIt:
    parser = MarkdownIt("zero", {"breaks": True})
    parser.enable(["backticks", "emphasis", "escape", "newline"])
    parser.inline.ruler.at("emphasis", _read_stars)
    return _extend(parser)


def _extend(parser: MarkdownIt) -> MarkdownIt:
    parser.use(
        dollarmath_plugin,
        allow_labels=False,
        allow_blank_lines=False,
        # "It costs $5 and $6" contains no formula.
        allow_space=False,
        allow_digits=False,
        double_inline=True,
    )
    # Check links as tokens: a bad link loses its URL and keeps its words.
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    for name, rule in _RULES.items():
        parser.add_render_rule(name, rule)
    return parser


def _read_stars(state: StateInline, silent: bool) -> bool:
    return state.src[state.pos] == "*" and read_emphasis(state, silent)


# Changes of the tokens before rendering.


def _with_one_title(tokens: list[Token], *, keep_title: bool) -> list[Token]:
    starts = [i for i, token in enumerate(tokens) if token.type == "heading_open"]
    titles = [i for i in starts if tokens[i].tag == "h1"]
    for index in titles[1:] if keep_title else titles:
        tokens[index].tag = tokens[index + 2].tag = "h2"
    if keep_title or not titles:
        return tokens
    # A heading has three tokens: open, inline, close.
    return tokens[: titles[0]] + tokens[titles[0] + 3 :]


def _name_headings(tokens: Sequence[Token], *, lang: Lang, prefix: str) -> None:
    taken: set[str] = set()
    number = 0
    for token, words in pairwise(tokens):
        if token.type != "heading_open" or token.tag == "h1":
            continue
        number += 1
        name = (_slug(words.content) if lang == "en" else "") or str(number)
        repeats = 1
        unique = name
        while unique in taken:
            repeats += 1
            unique = f"{name}-{repeats}"
        taken.add(unique)
        token.attrSet("id", f"{prefix}-{unique}")


def _slug(words: str) -> str:
    letters = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:60].rstrip("-")


def _without_bad_links(
    tokens: list[Token] | None, link: Callable[[str], str | None] | None
) -> list[Token] | None:
    """Remove bad links from a line but keep their words; mark the external links."""
    if tokens is None:
        return None
    kept = []
    is_bad = False
    for token in tokens:
        token.children = _without_bad_links(token.children, link)
        if token.type == "link_open":
            url = str(token.attrs.get("href", ""))
            url = url if link is None else link(url) or "bad:"
            is_bad = not (_RELATIVE.fullmatch(url) or _ABSOLUTE.fullmatch(url))
            token.attrs = {"href": url}
            if _EXTERNAL.match(url):
                token.attrs["rel"] = "noopener noreferrer"
        # Links are not nested, so the next end belongs to this link.
        if not (is_bad and token.type in ("link_open", "link_close")):
            kept.append(token)
    return kept


def _align(token: Token) -> None:
    if token.type in ("td_open", "th_open"):
        side = _SIDES.get(str(token.attrs.get("style", "")))
        token.attrs = {"class": side} if side else {}


def _with_figures(
    tokens: Sequence[Token], figures: Mapping[str, str], *, prefix: str
) -> list[Token]:
    """Insert a figure for each paragraph that contains only an image of the problem's folder."""
    drawn: list[Token] = []
    number = index = 0
    while index < len(tokens):
        image = _lone_image(tokens[index : index + 2])
        svg = _draw(image, figures, prefix=f"{prefix}_{number + 1}_") if image else None
        if image and svg:
            drawn.append(Token("figure", "figure", 0, content=svg, children=image.children))
            number += 1
            # Skip the paragraph: open, image, close.
            index += 3
        else:
            drawn.append(tokens[index])
            index += 1
    return drawn


def _lone_image(tokens: Sequence[Token]) -> Token | None:
    if [token.type for token in tokens] != ["paragraph_open", "inline"]:
        return None
    words = tokens[1].children or []
    return words[0] if [token.type for token in words] == ["image"] else None


def _draw(image: Token, figures: Mapping[str, str], *, prefix: str) -> str | None:
    source = figures.get(str(image.attrs.get("src", "")))
    if source is None:
        return None
    try:
        return clean_figure(source, prefix=prefix, label=image.content).svg
    except FigureError:
        return None


# Rendering of tokens. markdown-it-py binds these functions to its renderer, which is `self`.


def _write_fence(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    language = (tokens[index].info.split() or [""])[0]
    source = tokens[index].content
    if not env.get("is_narrow"):
        return write_code(source, language)
    shown = write_code(break_lines(source, language), language)
    # Plain text and commands are wrapped by the style sheet, so that they can be copied.
    is_plain = language in ("", "text", "bash", "sh", "console")
    return shown.replace('"code-block"', '"code-block wrap"', 1) if is_plain else shown


def _write_formula(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    display = tokens[index].type != "math_inline"
    source = tokens[index].content.strip()
    if tokens[index].type != "math_block":
        return show_formula(source, display=display)
    parts = split_formula(source) if env.get("is_narrow") else [source]
    math = "".join(show_formula(part, display=display) for part in parts)
    return f'<div class="scroll">{math}</div>\n'


def _write_description(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    return self.renderInline(tokens[index].children or [], options, env)


def _write_figure(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    words = _write_description(self, tokens, index, options, env)
    caption = f"<figcaption>{words}</figcaption>" if words else ""
    return f'<figure class="fig">{tokens[index].content}{caption}</figure>\n'


def _write_table(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    return '<div class="scroll"><table class="tab">\n'


def _write_table_end(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    return "</table></div>\n"


def _write_line_end(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    if options.breaks:
        return "<br>\n"
    if env.get("lang") != "zh":
        return "\n"
    # Emphasis and links begin and end with tokens without content.
    before = _first_words(tokens, range(index - 1, -1, -1))
    after = _first_words(tokens, range(index + 1, len(tokens)))
    return "" if _join_without_space(before[-1:], after[:1]) else "\n"


def _first_words(tokens: Sequence[Token], indices: range) -> str:
    return next((tokens[i].content for i in indices if tokens[i].content), "")


def _join_without_space(before: str, after: str) -> bool:
    """Return whether a line break between two characters is not a space, as in Chinese text."""
    wide = [unicodedata.east_asian_width(c) in "WF" for c in (before, after) if c]
    are_marks = [unicodedata.category(c).startswith("P") for c in (before, after) if c]
    return len(wide) == 2 and (
        all(wide) or any(w and mark for w, mark in zip(wide, are_marks, strict=True))
    )


_RULES = {
    "code_block": _write_fence,
    "fence": _write_fence,
    "figure": _write_figure,
    "image": _write_description,
    "math_block": _write_formula,
    "math_inline": _write_formula,
    "math_inline_double": _write_formula,
    "softbreak": _write_line_end,
    "table_close": _write_table_end,
    "table_open": _write_table,
}
