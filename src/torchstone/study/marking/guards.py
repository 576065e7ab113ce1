"""Detect answers that state nothing: keyword lists, and repetitions of the question."""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import groupby

from torchstone.study.marking.normal import HAN

_WORD = re.compile(rf"[A-Za-z0-9_]+(?:[-.'][A-Za-z0-9_]+)*|[{HAN}]+")
_GLUE_EN = frozenset(
    "the a an is are was be been of to in into and so it its with from if by that this these those"
    " when not does do did i you we they on off out up only for as or has have had can could may"
    " might will would should must then than no never always which who what how at but because"
    " since otherwise there where them their each every all any both just also too during until"
    " isn't aren't doesn't don't can't cannot won't it's".split()
)
# Verb forms that do not occur in keyword lists.
_VERBS_EN = frozenset(
    "uses gives makes returns takes keeps turns raises needs gets becomes means works holds allows"
    " applies computes stores saves prevents avoids requires contains changes depends adds copies"
    " uses reads writes sets fails helps makes lets goes comes runs calls drops divides multiplies"
    " subtracts normalises normalizes updates reduces increases".split()
)
_GLUE_HAN = re.compile(
    "[的了是会在把将就用与为也都到而只才若如给让不没被从要能得着时比使由按还设等有靠再先并或和跟该应]"
    "|可以|因为|所以|对于|之[前后]|过[的了]"
)
_ORTHOGRAPHIC = re.compile(rf"(?<=[{HAN}]) +(?=[A-Za-z0-9_(])|(?<=[A-Za-z0-9_)]) +(?=[{HAN}])")
_SPACED = re.compile(rf"[{HAN}][ \u3000]+(?=[{HAN}])")
# Arguments of a call are not list items: permute(0, 2, 3, 1).
_ARGUMENTS = re.compile(r"(?<=[A-Za-z0-9_])\([^()]*\)")
_NO_COMMAS = re.compile(r"[^,]*,?[^,]*")
# A quoted error message is an item of a list, whatever its words.
_MESSAGE = re.compile(r"(?<=Error): .*", re.S)
_MIN_WORDS = 5
_GLUE_SHARE = 0.1
_TERSE = 12
_ITEM = re.compile(r"[\s,\u3001;/.|]+")
_ECHO_SHARE = 0.9
# Characters that an item needs to state something.
_STATEMENT = 8


def is_word_list(sentence: str) -> bool:
    """Return whether a sentence is a list of words without the grammar of a statement.

    In Chinese: at least four items separated by blanks or commas, nearly all of them short, and few
    with function words. In English: at least five words, separated by commas or with nearly no
    function words; a short sentence with a verb is exempt.
    """
    if re.search(f"[{HAN}]", sentence):
        return _is_list_han(sentence)
    sentence = _MESSAGE.sub("", sentence)
    words = [word.lower() for word in _WORD.findall(sentence)]
    if len(words) < _MIN_WORDS:
        return False
    items = sentence.split(",")
    if len(items) >= _MIN_WORDS and len(words) < 1.3 * len(items):
        return True
    if len(words) <= _TERSE and _NO_COMMAS.fullmatch(sentence):
        if any(word in _VERBS_EN for word in words):
            return False
    # Repeated function words count once: "cannot cannot" may remain of two sentences.
    once = [word for word, _ in groupby(words)]
    return sum(word in _GLUE_EN for word in once) < _GLUE_SHARE * len(once)


def is_echo(sentence: str, questions: Iterable[str]) -> bool:
    """Return whether a sentence only repeats words of the question."""
    said = _bag(sentence)
    total = said.total()
    if not total:
        return False
    return any((said & _bag(question)).total() >= _ECHO_SHARE * total for question in questions)


def _is_list_han(sentence: str) -> bool:
    # A blank between Chinese and a name in code is orthographic, not a separator; between two
    # Chinese words blanks occur only in lists.
    num_blanks = len(_SPACED.findall(sentence))
    prose = sentence if num_blanks else _ORTHOGRAPHIC.sub("", sentence)
    items = [item for item in _ITEM.split(_ARGUMENTS.sub("", prose)) if item]
    if len(items) < 4:
        return False
    sizes = [len(re.findall(f"[{HAN}]", item)) for item in items]
    # A list may be the subject of a statement: "a, b and c end in one operator".
    if any(
        size >= _STATEMENT and _GLUE_HAN.search(item)
        for size, item in zip(sizes, items, strict=True)
    ):
        return False
    if num_blanks >= 3 and sum(size <= 4 for size in sizes) > 0.9 * len(items):
        return True
    if sum(size <= 5 for size in sizes) <= 0.85 * len(items):
        return False
    return sum(_GLUE_HAN.search(item) is not None for item in items) <= 0.25 * len(items)


def _bag(text: str) -> Counter[str]:
    words: Counter[str] = Counter()
    for word in _WORD.findall(text.lower()):
        # Bigrams of Han characters preserve order, which single characters do not.
        if re.match(f"[{HAN}]", word):
            words.update(word[i : i + 2] for i in range(max(1, len(word) - 1)))
        else:
            words[word] += 1
    return words
