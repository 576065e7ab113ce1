"""Search tokenizer, shared by documents and queries: words, code names and Chinese bigrams.

Chinese is written without spaces, so a run of it becomes its pairs of neighbouring characters, and
a word of any length is a phrase of pairs. Code is written in compounds, so ``log_softmax`` is found
by its parts and by the whole, which is kept without the joints: ``LogSoftmax`` is the same whole.

A token holds letters and digits, and the dot of a section number as a sign of its own; whatever
stores tokens can part them with spaces.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

# Raised when the same text gives other tokens than before: what is stored is then built anew.
TOKENISER_VERSION = 1
MAX_QUERY_LENGTH = 200

# Between the numbers of a section or a version, where a full stop would part them again.
_DOT = "·"
_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_LETTER = rf"[^\W\d_{_HAN}]"
_PIECE = re.compile(
    rf"(?P<han>[{_HAN}]+)"
    r"|(?P<numbers>[0-9]+(?:\.[0-9]+)+(?!\w))"
    # A hyphen joins: cross-entropy is one compound, as cross_entropy is.
    rf"|(?P<word>_*[^\W_{_HAN}][^\W{_HAN}]*(?:[-\u2010\u2011]{_LETTER}[^\W{_HAN}]*)*)"
)
_JOINT = re.compile(r"[-\u2010\u2011_]+")
# RNNs, GPUs, ReLUs: the plural of an abbreviation is no part of its own.
_CAPITALS_PLURAL = re.compile(r"(?<=[A-Z]{2})s(?![a-z])")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+[a-z]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word of a query: a compound such as ``log_softmax``, or one Chinese character.

    Args:
        text: The word as it is written.
        key: The word without joints and plural; words that differ only in spelling share it.
        spellings: The phrases of tokens that stand for it, each in the order of a text.
        is_han: Whether it is a Chinese character.
        is_glued: Whether nothing but a dot, or nothing at all between characters, parts it from
            the word before.
    """

    text: str
    key: str
    spellings: tuple[tuple[str, ...], ...]
    is_han: bool
    is_glued: bool

    @property
    def beginning(self) -> str:
        """Return what is typed so far, as the beginning of a token; nothing for Chinese."""
        return "" if self.is_han else _JOINT.sub("", self.text).replace(".", _DOT).lower()


def index_tokens(text: str) -> list[str]:
    """List the tokens under which a text is found.

    The words come in their order, so that phrases can be found; after them what else is found by
    itself: the characters of a run, the whole of a compound, the parts of a camel-case word.

    >>> index_tokens("层归一化 LayerNorm")
    ['层归', '归一', '一化', 'layernorm', '层', '归', '一', '化', 'layer', 'norm']
    >>> index_tokens("nn.log_softmax 4.2.2")
    ['nn', 'log', 'softmax', '4·2·2', 'logsoftmax']
    """
    words: list[str] = []
    besides: list[str] = []
    for piece in _pieces(normalise(text)):
        if piece["han"]:
            words += han_tokens(piece["han"])
            besides += piece["han"] if len(piece["han"]) > 1 else ""
        else:
            first, *others = _spellings(piece)
            words += first
            besides += [token for spelling in others for token in spelling]
    return words + besides


def query_words(text: str) -> list[Word]:
    """Read a query word by word; what is longer than any sensible query is cut off.

    >>> [(word.key, word.is_glued) for word in query_words("nn.LayerNorm 的 eps")]
    [('nn', False), ('layernorm', True), ('的', False), ('eps', False)]
    """
    text = clean_query(text)
    words: list[Word] = []
    end = -1
    for piece in _pieces(text):
        if piece["han"]:
            words += [
                Word(text=char, key=char, spellings=((char,),), is_han=True, is_glued=index > 0)
                for index, char in enumerate(piece["han"])
            ]
        else:
            spellings = _spellings(piece)
            is_glued = piece.start() == end + 1 and text[end] == "."
            words.append(
                Word(
                    text=piece[0],
                    key="".join(spellings[0]),
                    spellings=spellings,
                    is_han=False,
                    is_glued=is_glued,
                )
            )
        end = piece.end()
    return words


def clean_query(text: str) -> str:
    """Return a query as it is understood: normalised, on one line, of bounded length."""
    # Cut first, so that a megabyte is not normalised; again after, since normal forms are longer.
    text = normalise(text[:MAX_QUERY_LENGTH])
    printable = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(printable.split())[:MAX_QUERY_LENGTH].rstrip()


def normalise(text: str) -> str:
    """Write full-width letters, ligatures and composed characters in their one common form."""
    return unicodedata.normalize("NFKC", text)


def han_tokens(run: str) -> list[str]:
    """List the pairs of neighbouring characters of a run; a single character stands for itself."""
    return [run[index : index + 2] for index in range(len(run) - 1)] or [run]


def spelling_key(text: str) -> str:
    """Return what all spellings of a term have in common: ``Layer norms`` and ``LayerNorm``."""
    return "".join(word.key for word in query_words(text))


def _pieces(text: str) -> Iterator[re.Match[str]]:
    return _PIECE.finditer(text)


def _spellings(piece: re.Match[str]) -> tuple[tuple[str, ...], ...]:
    if piece["numbers"]:
        return ((piece["numbers"].replace(".", _DOT),),)
    word = piece["word"]
    if word.isdigit():
        # Problem 07 is problem 7.
        return ((word.lstrip("0") or "0",),)
    segments = [_parts(segment) for segment in _JOINT.split(word) if segment]
    written = tuple("".join(parts) for parts in segments)
    smallest = tuple(part for parts in segments for part in parts)
    # Most words are all three at once.
    return tuple(dict.fromkeys((written, ("".join(written),), smallest)))


def _parts(segment: str) -> list[str]:
    if not segment.isascii():
        return [segment.lower()]
    parts = _PART.findall(_CAPITALS_PLURAL.sub("", segment))
    return [singular(part.lower()) for part in parts]


def singular(word: str) -> str:
    """Take the plural off an English word, by its letters alone.

    >>> [singular(word) for word in ("hooks", "losses", "copies", "bias", "axis")]
    ['hook', 'loss', 'copy', 'bias', 'axis']
    """
    if len(word) <= 3 or word.endswith(("ss", "is", "ias")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "tches", "nches", "iases", "xes")):
        return word[:-2]
    return word.removesuffix("s")
