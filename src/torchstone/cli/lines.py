"""Line wrapping by terminal columns, with wide Chinese characters."""

from collections.abc import Iterator

from torchstone.core.i18n import display_width

# A line must not begin with these.
_CLOSING = frozenset("，。、；：！？）》」』”…,.;:!?)]}")


def wrap(words: str, columns: int) -> list[str]:
    """Wrap a text at ``columns`` columns; its own line breaks stay.

    English breaks between words; Chinese breaks after any character, but not before a closing mark.
    A word that is wider than a line gets a line of its own.
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
    """Yield unbreakable pieces: a word with the space after it, or a Chinese character."""
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
