"""Normal form of an answer, with the original position of each character."""

import re
import unicodedata
from dataclasses import dataclass

from torchstone.core.i18n import Lang

HAN = "\u3400-\u9fff"
_HAN = re.compile(f"[{HAN}]")
_LATIN_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_QUOTES = {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'}
# A line break that ends a sentence: before a blank line, or before a list item.
_BREAK = re.compile(r"\n(?=[ \t]*(?:\n|[-*\u2022][ \t]|\d{1,2}[.)\u3001]))")
_PIECE = r" ?[\w.*'+/=-]{0,16} ?"
_TICKED = re.compile(r"`[^`\n]+`")
_CODE = re.compile(
    # Brackets that belong to a name, as in x[-n:] or view(2, 3), or contain single words: (N, C).
    rf"(?<=[\w\])])[(\[](?:[^()\[\]{HAN}\n]|[(\[][^()\[\]{HAN}\n]{{0,40}}[)\]]){{0,60}}[)\]]"
    rf"|[(\[]{_PIECE}(?:[,:]{_PIECE})*[)\]]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Normal:
    """The normal form of an answer.

    Args:
        text: NFKC without backticks, case preserved; a line break ends a sentence.
        origin: Position of each character in the answer; one additional entry for the end.
        wide: For each character, 1 if it was a full-width character.
        code: For each character, 1 if it is in code, where commas do not separate clauses.
    """

    text: str
    origin: tuple[int, ...]
    wide: bytes
    code: bytes


def normalise(answer: str) -> Normal:
    """Convert an answer to its normal form.

    A single line break becomes a blank, or nothing between Han characters, so that line wrapping
    has no effect.
    """
    breaks = {match.start() for match in _BREAK.finditer(answer)}
    chars: list[str] = []
    origin: list[int] = []
    ticked = bytearray()
    quoted = {place for span in _TICKED.finditer(answer) for place in range(*span.span())}
    for place, raw in enumerate(answer):
        if raw == "`":
            continue
        form = _plain(raw, is_break=place in breaks)
        if form == " " and raw == "\n" and _between_han(answer, place):
            continue
        for char in form:
            chars.append(char)
            origin.append(place)
            ticked.append(place in quoted)
    text = "".join(chars)
    wide = bytes(unicodedata.east_asian_width(answer[place]) in "FW" for place in origin)
    for match in _CODE.finditer(text):
        ticked[match.start() : match.end()] = b"\1" * (match.end() - match.start())
    return Normal(text=text, origin=(*origin, len(answer)), wide=wide, code=bytes(ticked))


def language_of(text: str) -> Lang:
    """Detect the language of an answer: ``zh`` if it has more Han characters than Latin words."""
    return "zh" if len(_HAN.findall(text)) > len(_LATIN_WORD.findall(text)) else "en"


def _plain(raw: str, *, is_break: bool) -> str:
    if raw in "\r\n":
        return "\n" if is_break else " "
    return unicodedata.normalize("NFKC", _QUOTES.get(raw, raw))


def _between_han(answer: str, place: int) -> bool:
    before = answer[max(0, place - 40) : place].rstrip()[-1:]
    after = answer[place : place + 40].lstrip()[:1]
    return bool(_HAN.match(before) and _HAN.match(after))
