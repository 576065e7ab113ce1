"""Search tokenizer, shared by documents and queries: words, code names and Chinese bigrams.

Chinese has no spaces between words, so a run of characters becomes the pairs of its neighbours, and
a word of any length is a phrase of pairs. Names in code are compounds, so ``log_softmax`` is found
by its parts and as a whole. The whole has no separators: ``LogSoftmax`` gives the same token.

A token contains letters and digits. A section number keeps a sign of its own in place of its dots.
Storage can separate tokens by spaces.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

# Increment it when the same text gives other tokens: the stored index is then rebuilt.
TOKENISER_VERSION = 1
MAX_QUERY_LENGTH = 200
# More than the different words of the bank, which occur 25 times each.
_KEPT = 30_000

# Between the numbers of a section or a version, where a full stop would separate them.
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
# RNNs, GPUs, ReLUs: the plural of an abbreviation is not a separate part.
_CAPITALS_PLURAL = re.compile(r"(?<=[A-Z]{2})s(?![a-z])")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+[a-z]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word of a query: a compound such as ``log_softmax``, or one Chinese character.

    Args:
        text: The word as the user wrote it.
        key: The word without separators and plural; spellings of the same word share it.
        spellings: The phrases of tokens that match it, each in the order of a text.
        is_han: Whether it is a Chinese character.
        is_glued: Whether only a dot, or nothing between Chinese characters, separates it from the
            word before.
    """

    text: str
    key: str
    spellings: tuple[tuple[str, ...], ...]
    is_han: bool
    is_glued: bool

    @property
    def beginning(self) -> str:
        """Return the typed part as the prefix of a token; empty for Chinese."""
        return "" if self.is_han else _JOINT.sub("", self.text).replace(".", _DOT).lower()


def index_tokens(text: str) -> list[str]:
    """Return the tokens of a text for the index.

    First come the words in order, so that phrases match. Then come the tokens that also match
    alone: the characters of a run, the whole of a compound, the parts of a camel-case word.

    >>> index_tokens("层归一化 LayerNorm")
    ['层归', '归一', '一化', 'layernorm', '层', '归', '一', '化', 'layer', 'norm']
    >>> index_tokens("nn.log_softmax 4.2.2")
    ['nn', 'log', 'softmax', '4·2·2', 'logsoftmax']
    """
    words: list[str] = []
    extra: list[str] = []
    for piece in _pieces(normalise(text)):
        if piece["han"]:
            words += han_tokens(piece["han"])
            extra += piece["han"] if len(piece["han"]) > 1 else ""
        else:
            first, *others = _spellings(piece)
            words += first
            extra += [token for spelling in others for token in spelling]
    return words + extra


def query_words(text: str) -> list[Word]:
    """Split a query into words; an overlong query is cut off.

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
    """Return the normalised query: one line of bounded length."""
    # Cut before, so that a megabyte is not normalised, and after, because normal forms are longer.
    text = normalise(text[:MAX_QUERY_LENGTH])
    printable = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(printable.split())[:MAX_QUERY_LENGTH].rstrip()


def normalise(text: str) -> str:
    """Convert full-width letters, ligatures and composed characters to their common form."""
    return unicodedata.normalize("NFKC", text)


def han_tokens(run: str) -> list[str]:
    """Return the pairs of neighbouring characters of a run; a single character is its own token."""
    return [run[index : index + 2] for index in range(len(run) - 1)] or [run]


def spelling_key(text: str) -> str:
    """Return the key that all spellings of a term share: ``Layer norms`` and ``LayerNorm``."""
    return "".join(word.key for word in query_words(text))


def _pieces(text: str) -> Iterator[re.Match[str]]:
    return _PIECE.finditer(text)


def _spellings(piece: re.Match[str]) -> tuple[tuple[str, ...], ...]:
    if piece["numbers"]:
        return ((piece["numbers"].replace(".", _DOT),),)
    return _spellings_of(piece["word"])


@lru_cache(_KEPT)
def _spellings_of(word: str) -> tuple[tuple[str, ...], ...]:
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
    """Return the singular of an English word, by its letters alone.

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
