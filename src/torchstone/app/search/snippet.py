"""Search result snippets: the part of a text around the matched words."""

import re
from collections.abc import Sequence

from torchstone.bank.markdown import outline
from torchstone.core.i18n import Lang

# A Chinese character has the information and the width of two or three letters.
SNIPPET_LENGTH: dict[Lang, int] = {"en": 160, "zh": 80}
# The share of a snippet before the found word.
_RUN_UP = 0.4
_ELLIPSIS = "…"
# Lines without sentences: headings, the separator of a table.
_BARE_LINE = re.compile(r"^ {0,3}#{1,6}[ \t].*$|^[ \t]*\|?[ \t]*:?-{3,}[-:| \t]*$", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]*(?:[-+*]|[0-9]+[.)]|>|\|)[ \t]+", re.MULTILINE)
_DISPLAY_MATHS = re.compile(r"\$\$.*?\$\$", re.DOTALL)
_VERBATIM = re.compile(r"(`+)(?P<code>.+?)\1|\$(?P<maths>[^$]+)\$", re.DOTALL)
_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_EMPHASIS = re.compile(r"\*+|\|")
# Commands that only set the style of their argument; the argument stays.
_SETTING = re.compile(r"\\(?:operatorname|mathrm|mathbb|mathbf|text)\{([^{}]*)\}")
_BRACES = str.maketrans("{}", "()", "\\")
_SENTENCE_END = re.compile(r"[。！？；\n]|[.!?;](?=\s)")


def plain_text(markdown: str) -> str:
    """Return the sentences of a text, one paragraph per line, without headings, code and marks."""
    prose = _DISPLAY_MATHS.sub(" ", _BARE_LINE.sub("", outline(markdown).prose))
    # Each item of a list and each row of a table is a paragraph.
    paragraphs = re.split(r"\n[ \t]*\n", _BULLET.sub("\n\n", prose))
    lines = (" ".join(_without_marks(paragraph).split()) for paragraph in paragraphs)
    return "\n".join(line for line in lines if line)


def cut_snippet(text: str, words: re.Pattern[str], lang: Lang) -> str:
    """Return the part of a text around the first match; its beginning if there is no match.

    Args:
        text: Plain text, one paragraph per line.
        words: The pattern of the words; see ``word_pattern``.
        lang: The language of the text, which determines the length of the snippet.
    """
    length = SNIPPET_LENGTH[lang]
    found = words.search(text)
    position = found.start() if found else 0
    start, is_sentence = _beginning(text, position, round(_RUN_UP * length))
    lead = "" if is_sentence else _ELLIPSIS
    return lead + _shorten(text, start, length - len(lead))


def word_pattern(spoken: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern of some words; an English word does not match inside a longer one."""
    # The longest word first. The end of a word is open: "hook" also matches "hooks".
    names = sorted(spoken, key=len, reverse=True)
    alternatives = "|".join(
        (r"(?<![A-Za-z0-9])" if name[0].isascii() else "") + re.escape(name) for name in names
    )
    # (?!) never matches; an empty pattern would match at once.
    return re.compile(alternatives or "(?!)", re.IGNORECASE)


def _without_marks(paragraph: str) -> str:
    shown: list[str] = []
    end = 0
    for verbatim in _VERBATIM.finditer(paragraph):
        shown += _without_emphasis(paragraph[end : verbatim.start()])
        # After removing its commands, an inline formula reads like code.
        shown += verbatim["code"] or _SETTING.sub(r"\1", verbatim["maths"]).translate(_BRACES)
        end = verbatim.end()
    shown += _without_emphasis(paragraph[end:])
    return "".join(shown)


def _without_emphasis(text: str) -> str:
    return _EMPHASIS.sub("", _LINK.sub(r"\1", _PICTURE.sub("", text)))


def _beginning(text: str, position: int, run_up: int) -> tuple[int, bool]:
    # Find the beginning of the sentence at this position, or of a word shortly before it.
    start = max(0, position - run_up)
    ends = [end.end() for end in _SENTENCE_END.finditer(text, start, position)]
    if ends or start == 0:
        return (ends[-1] if ends else 0), True
    gap = text.find(" ", start, position)
    return (gap + 1 if gap >= 0 else start), False


def _shorten(text: str, start: int, length: int) -> str:
    shown = text[start : start + length].replace("\n", " ")
    if start + length >= len(text):
        return shown.rstrip()
    return shown[: -len(_ELLIPSIS)].rstrip() + _ELLIPSIS
