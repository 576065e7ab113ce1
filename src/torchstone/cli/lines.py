"""Line wrapping by terminal columns, with wide Chinese characters."""

from collections.abc import Iterator

from torchstone.core.i18n import display_width

# These may not begin a line.
_CLOSING = frozenset("，。、；：！？）》」』”…,.;:!?)]}")


def wrap(words: str, columns: int) -> list[str]:
    """Break a text into lines of at most ``columns`` columns; its own line breaks stay.

    English breaks between words; Chinese after any character, but never before a closing mark.
    A word that is wider than a line stands alone on one.
    """
    return [line for paragraph in words.splitlines() for line in _wrap_line(paragraph, columns)]


def _wrap_line(words: str, columns: int) -> Iterator[str]:
    line = ""
    for piece in _pieces(words):
        if line and display_width((line + piece).rstrip()) > columns:
            yield line.rstrip()
            line = ""
        line += piece if line else piece.lstrip()
    yield line.rstrip()


def _pieces(words: str) -> Iterator[str]:
    """Yield what must stay on one line: a word with the space behind it, or a Chinese character."""
    piece = ""
    for index, char in enumerate(words):
        following = words[index + 1 : index + 2]
        piece += char
        if following in _CLOSING and following and char != " ":
            continue
        is_break = char == " " and following != " "
        if is_break or _is_wide(char) or (following and _is_wide(following)):
            yield piece
            piece = ""
    if piece:
        yield piece


def _is_wide(char: str) -> bool:
    return display_width(char) == 2
