"""Search result snippets: the part of a text around the matched words."""

import re
from collections.abc import Sequence

from torchstone.bank.markdown import outline
from torchstone.core.i18n import Lang

# A Chinese character says as much as two or three letters, and is as wide.
SNIPPET_LENGTH: dict[Lang, int] = {"en": 160, "zh": 80}
# This part of a snippet may stand before the word that was found.
_RUN_UP = 0.4
_ELLIPSIS = "…"
# Lines that hold no sentence: headings, the rule of a table.
_BARE_LINE = re.compile(r"^ {0,3}#{1,6}[ \t].*$|^[ \t]*\|?[ \t]*:?-{3,}[-:| \t]*$", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]*(?:[-+*]|[0-9]+[.)]|>|\|)[ \t]+", re.MULTILINE)
_DISPLAY_MATHS = re.compile(r"\$\$.*?\$\$", re.DOTALL)
_VERBATIM = re.compile(r"(`+)(?P<code>.+?)\1|\$(?P<maths>[^$]+)\$", re.DOTALL)
_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_EMPHASIS = re.compile(r"\*+|\|")
# What only says how its argument is set: the argument is what is read.
_SETTING = re.compile(r"\\(?:operatorname|mathrm|mathbb|mathbf|text)\{([^{}]*)\}")
_BRACES = str.maketrans("{}", "()", "\\")
_SENTENCE_END = re.compile(r"[。！？；\n]|[.!?;](?=\s)")


def plain_text(markdown: str) -> str:
    """Return the sentences of a text without headings, code cells and marks, a paragraph a line."""
    prose = _DISPLAY_MATHS.sub(" ", _BARE_LINE.sub("", outline(markdown).prose))
    # The points of a list and the rows of a table are paragraphs of their own.
    paragraphs = re.split(r"\n[ \t]*\n", _BULLET.sub("\n\n", prose))
    lines = (" ".join(_without_marks(paragraph).split()) for paragraph in paragraphs)
    return "\n".join(line for line in lines if line)


def cut_snippet(text: str, words: re.Pattern[str], lang: Lang) -> str:
    """Cut out the place where one of the words stands; the beginning when none does.

    Args:
        text: Plain text, a paragraph a line.
        words: What to look for; see ``word_pattern``.
        lang: The language of the text, which decides how much is cut out.
    """
    length = SNIPPET_LENGTH[lang]
    found = words.search(text)
    position = found.start() if found else 0
    start, is_sentence = _beginning(text, position, round(_RUN_UP * length))
    lead = "" if is_sentence else _ELLIPSIS
    return lead + _shorten(text, start, length - len(lead))


def word_pattern(spoken: Sequence[str]) -> re.Pattern[str]:
    """Make the pattern that finds any of some words, but no English one inside a longer one."""
    # The longest first. The end is left open: "hook" begins "hooks".
    names = sorted(spoken, key=len, reverse=True)
    alternatives = "|".join(
        (r"(?<![A-Za-z0-9])" if name[0].isascii() else "") + re.escape(name) for name in names
    )
    # (?!) is found nowhere; an empty pattern would be found at once.
    return re.compile(alternatives or "(?!)", re.IGNORECASE)


def _without_marks(paragraph: str) -> str:
    shown: list[str] = []
    end = 0
    for verbatim in _VERBATIM.finditer(paragraph):
        shown += _without_emphasis(paragraph[end : verbatim.start()])
        # A formula in one line reads as code does, once its commands are mere names.
        shown += verbatim["code"] or _SETTING.sub(r"\1", verbatim["maths"]).translate(_BRACES)
        end = verbatim.end()
    shown += _without_emphasis(paragraph[end:])
    return "".join(shown)


def _without_emphasis(text: str) -> str:
    return _EMPHASIS.sub("", _LINK.sub(r"\1", _PICTURE.sub("", text)))


def _beginning(text: str, position: int, run_up: int) -> tuple[int, bool]:
    # Where the sentence of the position begins, or else a word not far before it.
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
